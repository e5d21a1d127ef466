// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "accel/cpu/kernel.hpp"
#include "accel/cpu/long_residues.hpp"
#include "accel/cpu/multiplier.hpp"
#include "accel/cpu/primes/fermat.hpp"
#include "accel/cpu/rings.hpp"
#include "accel/cpu/streams/kernels.hpp"
#include "accel/cpu/streams/streams.hpp"
#include "accel/cpu/three_primes/three_primes_plan.hpp"
#include "accel/factories.hpp"
#include "libfhe/arith/operand_length.hpp"
#include "libfhe/error.hpp"

namespace fhe::cpu {

namespace {

// Of longer products the memory is more of a problem than the time.
constexpr std::size_t kMaxOperandBits = std::size_t{1} << 30;

// Two numbers whose product the longest plan of either field holds with a limb to spare.
constexpr std::size_t kMaxRingBits = (kMaxThreePrimesPlanLimbs / 2 - 1) * kLimbBits;

class SolinasBackend final : public Backend {
 public:
  SolinasBackend(std::string name, Field field, Kernel kernel)
      : name_(std::move(name)),
        multiplier_(field, kernel),
        stream_kernels_(stream_kernels(kernel)) {}

  [[nodiscard]] BackendInfo info() const override {
    std::vector<std::string> native{"multiply", "ring"};
    if (stream_kernels_ != nullptr) {
      native.insert(native.end(), {"weighted_sums", "selected_sums", "product_windows", "residues",
                                   "chunk_form"});
    }
    if (has_fermat_test(multiplier_.kernel())) native.emplace_back("fermat_test");
    return {
        .name = name_,
        .description = fmt::format("{} transforms, kernel {}, {}", to_string(multiplier_.field()),
                                   to_string(multiplier_.kernel()), break_even_text()),
        .max_operand_bits = kMaxOperandBits,
        .native = std::move(native)};
  }

  [[nodiscard]] Integer multiply(const Integer& x, const Integer& y) const override {
    require_operand_lengths(x, y, kMaxOperandBits, name_);
    counters().count_multiplication(mpz_size(x.get_mpz_t()), mpz_size(y.get_mpz_t()));
    return multiplier_.multiply(x, y);
  }

  [[nodiscard]] std::shared_ptr<const Ring> ring(const Integer& modulus) const override {
    const std::size_t limbs = mpz_size(modulus.get_mpz_t());
    if (limbs < multiplier_.ring_break_even_limbs() || modulus < 2 ||
        bit_length(modulus) > kMaxRingBits) {
      return Backend::ring(modulus);
    }
    const bool is_complement = ComplementRing::suits(modulus);
    if (!multiplier_.ring_pays(limbs, is_complement)) return Backend::ring(modulus);
    if (is_complement) {
      return std::make_shared<const ComplementRing>(shared_from_this(), multiplier_, modulus);
    }
    return std::make_shared<const BarrettRing>(shared_from_this(), multiplier_, modulus);
  }

  [[nodiscard]] std::vector<Integer> weighted_sums(const IntegerStream& stream,
                                                   std::span<const DenseWeights> batch,
                                                   const Monitor& monitor) const override {
    return dense_sums(stream_kernels_, stream, batch, *this, monitor);
  }

  [[nodiscard]] std::vector<Integer> weighted_sums(const IntegerStream& stream,
                                                   std::span<const SparseWeights> batch,
                                                   const Monitor& monitor) const override {
    return sparse_sums(stream_kernels_, stream, batch, *this, monitor);
  }

  [[nodiscard]] std::vector<Integer> selected_sums(const IntegerStream& stream,
                                                   const BlockSelection& selection,
                                                   const Monitor& monitor) const override {
    return cpu::selected_sums(stream_kernels_, stream, selection, *this, monitor);
  }

  [[nodiscard]] std::vector<std::uint32_t> product_windows(const Integer& c,
                                                           const IntegerStream& stream,
                                                           const WindowSpec& spec,
                                                           const Monitor& monitor) const override {
    return std::move(product_windows_all(std::span(&c, 1), stream, spec, monitor).front());
  }

  [[nodiscard]] std::vector<std::vector<std::uint32_t>> product_windows_all(
      std::span<const Integer> batch, const IntegerStream& stream, const WindowSpec& spec,
      const Monitor& monitor) const override {
    return cpu::product_windows_all(stream_kernels_, batch, stream, spec, *this, monitor);
  }

  [[nodiscard]] std::vector<Integer> residues(const IntegerStream& stream, const Integer& modulus,
                                              const Monitor& monitor) const override {
    if (is_long_modulus(modulus)) return long_residues(stream, modulus, *this, monitor);
    return cpu::residues(stream_kernels_, stream, modulus, *this, monitor);
  }

  [[nodiscard]] std::unique_ptr<ChunkForm> chunk_form(std::size_t bits,
                                                      std::size_t weight_bits) const override {
    return cpu::chunk_form(stream_kernels_, bits, weight_bits);
  }

  [[nodiscard]] std::unique_ptr<FermatTest> fermat_test(std::size_t bits) const override {
    return cpu::fermat_test(bits, multiplier_.kernel());
  }

 private:
  [[nodiscard]] std::string break_even_text() const {
    const std::optional<std::size_t> limbs = multiplier_.break_even_limbs();
    if (!limbs) return "plain products by GMP, which is faster at every size";
    return fmt::format("GMP below {} bits", *limbs * kLimbBits);
  }

  std::string name_;
  Multiplier multiplier_;
  const StreamKernels* stream_kernels_;
};

// The kernel asked for by "kernel=NAME", or the fastest one for empty options.
Kernel chosen_kernel(std::string_view options) {
  if (options.empty()) return available_kernels().front();
  constexpr std::string_view kKey = "kernel=";
  if (options.starts_with(kKey)) {
    const std::string_view name = options.substr(kKey.size());
    for (const Kernel kernel : kKernels) {
      if (to_string(kernel) != name) continue;
      if (is_available(kernel)) return kernel;
      throw Error(ErrorCode::unsupported,
                  fmt::format("this processor cannot run the kernel '{}'; leave the option out for "
                              "the fastest that it can",
                              name));
    }
  }
  throw Error(ErrorCode::invalid_argument,
              fmt::format("'{}' is not an option of this backend; there is kernel=portable|avx2|"
                          "avx512|avxifma|ifma|neon",
                          options));
}

BackendPtr open_auto(std::string_view options) {
  const Kernel kernel = chosen_kernel(options);
  const Field field = kernel == Kernel::portable ? Field::goldilocks : Field::three_primes;
  return std::make_shared<const SolinasBackend>("auto", field, kernel);
}

BackendPtr open_solinas(std::string_view options) {
  return std::make_shared<const SolinasBackend>("solinas", Field::goldilocks,
                                                chosen_kernel(options));
}

std::vector<std::string> kernel_variants() {
  std::vector<std::string> variants;
  variants.reserve(std::size(kKernels));
  for (const Kernel kernel : kKernels)
    variants.push_back(fmt::format("kernel={}", to_string(kernel)));
  return variants;
}

}  // namespace

BackendFactory auto_factory() {
  return {.name = "auto",
          .summary =
              "the software engine with the fastest field and kernel of this processor; "
              "option kernel=portable|avx2|avx512|avxifma|ifma|neon",
          .open = open_auto,
          .variants = kernel_variants()};
}

BackendFactory solinas_factory() {
  return {.name = "solinas",
          .summary =
              "the software engine over p = 2^64 - 2^32 + 1; option "
              "kernel=portable|avx2|avx512|avxifma|ifma|neon",
          .open = open_solinas,
          .variants = kernel_variants()};
}

}  // namespace fhe::cpu
