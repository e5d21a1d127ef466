// SPDX-License-Identifier: Apache-2.0
#include "accel/gpu/backend/gpu_backend.hpp"

#include <charconv>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "accel/gpu/backend/arithmetic.hpp"
#include "accel/gpu/backend/modulus.hpp"
#include "accel/gpu/backend/stream_passes.hpp"
#include "libfhe/error.hpp"
#include "libfhe/secret/vector.hpp"

namespace fhe::gpu {

namespace {

class GpuBackend final : public Backend {
 public:
  GpuBackend(std::string name, DevicePtr device)
      : name_(std::move(name)),
        workshop_(std::make_shared<const GpuRing::Workshop>(std::move(device))) {}

  [[nodiscard]] BackendInfo info() const override {
    return {.name = name_,
            .description = workshop_->arithmetic.device()->description(),
            .max_operand_bits = kMostOperandBits,
            .native = {"multiply", "ring", "weighted_sums", "selected_sums", "product_windows"}};
  }

  [[nodiscard]] Integer multiply(const Integer& x, const Integer& y) const override {
    require_length(x);
    require_length(y);
    if (sgn(x) == 0 || sgn(y) == 0) return 0;
    const Arithmetic& arithmetic = workshop_->arithmetic;
    const std::span<const Limb> a = limbs_of(x);
    const std::span<const Limb> b = limbs_of(y);
    const Plan plan = plan_for(bit_length(x), bit_length(y)).value();
    const Buffer first(arithmetic.device(), a);
    const Buffer second(arithmetic.device(), b);
    const Buffer spectra = arithmetic.room(2 * plan.length());
    const Buffer product = arithmetic.room(a.size() + b.size());
    Word* const spectrum = spectra.at();
    const std::vector<Number> numbers{{first.at(), a.size()}, {second.at(), b.size()}};
    arithmetic.forward(plan, numbers, spectrum);
    const Arithmetic::Term term{spectrum, spectrum, spectra.at(plan.length()), true};
    arithmetic.multiply(plan, std::span(&term, 1));
    Word* const place = product.at();
    arithmetic.inverse(plan, spectrum, std::span(&place, 1), product.size());
    SecretVector<Word> words(product.size());
    product.get(words);
    counters().count_multiplication(a.size(), b.size());
    Integer result = from_limbs(words);
    if (sgn(x) * sgn(y) < 0) mpz_neg(result.get_mpz_t(), result.get_mpz_t());
    return result;
  }

  [[nodiscard]] std::shared_ptr<const Ring> ring(const Integer& modulus) const override {
    if (modulus < 2 || !Modulus::fits(bit_length(modulus))) return Backend::ring(modulus);
    return std::make_shared<const GpuRing>(shared_from_this(), workshop_, modulus);
  }

  // The host's side of the plug-in has checked the arguments of these.
  [[nodiscard]] std::vector<Integer> weighted_sums(const IntegerStream& stream,
                                                   std::span<const DenseWeights> batch,
                                                   const Monitor& monitor) const override {
    count_stream(stream);
    return workshop_->passes.weighted_sums(stream, batch, monitor);
  }
  [[nodiscard]] std::vector<Integer> weighted_sums(const IntegerStream& stream,
                                                   std::span<const SparseWeights> batch,
                                                   const Monitor& monitor) const override {
    count_stream(stream);
    return workshop_->passes.weighted_sums(stream, batch, monitor);
  }
  [[nodiscard]] std::vector<Integer> selected_sums(const IntegerStream& stream,
                                                   const BlockSelection& selection,
                                                   const Monitor& monitor) const override {
    count_stream(stream);
    return workshop_->passes.selected_sums(stream, selection, monitor);
  }
  [[nodiscard]] std::vector<std::uint32_t> product_windows(const Integer& c,
                                                           const IntegerStream& stream,
                                                           const WindowSpec& spec,
                                                           const Monitor& monitor) const override {
    count_stream(stream);
    return workshop_->passes.product_windows(c, stream, spec, *this, monitor);
  }

 private:
  void count_stream(const IntegerStream& stream) const {
    counters().count_stream_bytes(stream.count() * stream.limbs() * sizeof(Limb));
  }

  void require_length(const Integer& x) const {
    if (bit_length(x) <= kMostOperandBits) return;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("an operand of {} bits is longer than the {} bits that the {} backend "
                            "accepts",
                            bit_length(x), kMostOperandBits, name_));
  }

  std::string name_;
  GpuRing::WorkshopPtr workshop_;
};

}  // namespace

BackendPtr open_on(std::string name, DevicePtr device) {
  return std::make_shared<const GpuBackend>(std::move(name), std::move(device));
}

BackendPtr open(std::string_view options) {
  if (options == "host") return open_on("gpu:host", host_device());
  int number = 0;
  const auto [end, error] =
      std::from_chars(options.data(), options.data() + options.size(), number);
  const bool is_number = error == std::errc() && end == options.data() + options.size();
  if (!options.empty() && (!is_number || number < 0)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("'{}' is no device: give the number of a card, nothing for card 0, or "
                            "'host' for its kernels on the processor",
                            options));
  }
  return open_on(fmt::format("gpu:{}", number), cuda_device(number));
}

}  // namespace fhe::gpu
