// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/backend/fpga_backend.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "accel/fpga/backend/device_selection.hpp"
#include "accel/fpga/backend/device_session.hpp"
#include "accel/fpga/backend/device_sums.hpp"
#include "accel/fpga/backend/device_windows.hpp"
#include "accel/fpga/contract/words.hpp"
#include "accel/fpga/devices/local_devices.hpp"
#include "accel/fpga/devices/open_transport.hpp"
#include "libfhe/arith/operand_length.hpp"
#include "libfhe/arith/stream_kernels.hpp"
#include "libfhe/error.hpp"

namespace fhe::fpga {

namespace {

// Lengths of descriptors are 32-bit numbers, that of a product too.
constexpr std::size_t kMaxOperandBits = (std::size_t{1} << 31) - 1;

class FpgaBackend final : public Backend {
 public:
  FpgaBackend(std::string name, std::unique_ptr<Transport> transport)
      : name_(std::move(name)), session_(std::make_shared<DeviceSession>(std::move(transport))) {}

  [[nodiscard]] BackendInfo info() const override {
    std::vector<std::string> native = {"multiply", "ring", "weighted_sums"};
    if (session_->device.info().has(feature::elements))
      native.insert(native.end(), {"product_windows", "selected_sums"});
    return {.name = name_,
            .description = session_->device.info().description,
            .max_operand_bits = max_operand_bits(),
            .native = std::move(native)};
  }

  [[nodiscard]] bool multiplies() const {
    return session_->device.info().equipment.has(Engine::fastest);
  }
  [[nodiscard]] Integer multiply(const Integer& x, const Integer& y) const override;

  [[nodiscard]] std::shared_ptr<const Ring> ring(const Integer& modulus) const override {
    if (bit_length(modulus) > max_operand_bits() / 2) return Backend::ring(modulus);
    return std::make_shared<const FpgaRing>(shared_from_this(), session_, modulus);
  }

  [[nodiscard]] std::vector<Integer> weighted_sums(const IntegerStream& stream,
                                                   std::span<const DenseWeights> batch,
                                                   const Monitor& monitor) const override {
    return sums(stream, batch, monitor);
  }
  [[nodiscard]] std::vector<Integer> weighted_sums(const IntegerStream& stream,
                                                   std::span<const SparseWeights> batch,
                                                   const Monitor& monitor) const override {
    return sums(stream, batch, monitor);
  }

  [[nodiscard]] std::vector<Integer> selected_sums(const IntegerStream& stream,
                                                   const BlockSelection& selection,
                                                   const Monitor& monitor) const override {
    if (!is_selection(selection, stream.count()) ||
        !DeviceSelection::takes(session_->device, stream, selection)) {
      return Backend::selected_sums(stream, selection, monitor);
    }
    return device_selected_sums(*session_, stream, selection, counters(), monitor);
  }

  [[nodiscard]] std::vector<std::uint32_t> product_windows(const Integer& c,
                                                           const IntegerStream& stream,
                                                           const WindowSpec& spec,
                                                           const Monitor& monitor) const override {
    if (!is_window(spec, c, stream) || !takes_windows(session_->device, stream, spec))
      return Backend::product_windows(c, stream, spec, monitor);
    return device_product_windows(*session_, c, stream, spec, counters(), monitor);
  }

 private:
  // Both factors and the product are on the device together, beside what is kept there.
  [[nodiscard]] std::size_t max_operand_bits() const {
    return std::min<std::uint64_t>(kMaxOperandBits, session_->device.memory().size());
  }

  template <class Weights>
  [[nodiscard]] std::vector<Integer> sums(const IntegerStream& stream,
                                          std::span<const Weights> batch,
                                          const Monitor& monitor) const {
    const bool acceptable =
        stream.count() != 0 && std::ranges::all_of(batch, [&](const Weights& w) {
          return are_weights(w, stream.count());
        });
    return acceptable ? device_sums(*session_, stream, batch, nullptr, counters(), monitor)
                      : Backend::weighted_sums(stream, batch, monitor);
  }

  std::string name_;
  std::shared_ptr<DeviceSession> session_;
};

Integer FpgaBackend::multiply(const Integer& x, const Integer& y) const {
  require_operand_lengths(x, y, max_operand_bits(), name_);
  if (x == 0 || y == 0) return 0;
  counters().count_multiplication(mpz_size(x.get_mpz_t()), mpz_size(y.get_mpz_t()));
  Device& device = session_->device;
  const auto x_bits = static_cast<std::uint32_t>(bit_length(x));
  const auto y_bits = static_cast<std::uint32_t>(bit_length(y));
  const DeviceBuffer product = device.allocate(padded_bytes(x_bits + y_bits));
  const DeviceInteger result{product.address(), x_bits + y_bits};
  const auto run = [&](const Command& command) {
    session_->wait(device.submit(session_->four_steps.faster(device, command)), counters());
  };
  const DeviceBuffer first = device.store(abs(x), x_bits);
  if (&x == &y) {
    run(square(result, {first.address(), x_bits}));
    return device.load(product, result.bits);
  }
  const DeviceBuffer second = device.store(abs(y), y_bits);
  run(fpga::multiply(result, {first.address(), x_bits}, {second.address(), y_bits}));
  Integer value = device.load(product, result.bits);
  return sgn(x) * sgn(y) < 0 ? Integer(-value) : value;
}

BackendPtr open(std::string_view options) {
  if (options.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "which device? fpga:sim, fpga:sim=throughput, fpga:sim=super_size, fpga:model, "
                "fpga:model=throughput, fpga:model=super_size, fpga:socket=PATH, fpga:/dev/xdma0 "
                "or fpga:/dev/litepcie0");
  }
  auto backend =
      std::make_shared<const FpgaBackend>(fmt::format("fpga:{}", options), open_transport(options));
  if (!backend->multiplies()) {
    throw Error(ErrorCode::unsupported,
                fmt::format("the device {} does not multiply integers; fpga:sim does", options));
  }
  return backend;
}

// Where this program has a model.
std::vector<std::string> modelled_variants() {
  std::vector<std::string> variants;
  for (const char* const name :
       {"model", "model=super_size", "model=super_size_128", "model=throughput"})
    if (is_local_device(name)) variants.emplace_back(name);
  return variants;
}

}  // namespace

BackendFactory factory() {
  return {.name = "fpga",
          .summary =
              "the RTL multipliers behind a driver: fpga:sim (simulated), fpga:model, both with "
              "=throughput or =super_size for another multiplier, fpga:socket=PATH (fhe-simd), "
              "fpga:/dev/xdma0 or fpga:/dev/litepcie0 (cards)",
          .open = open,
          .variants = modelled_variants()};
}

}  // namespace fhe::fpga
