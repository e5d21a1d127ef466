// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/device/polynomial_clocks.hpp"

#include <cstdint>
#include <utility>

#include "accel/fpga/backend/device_polynomials.hpp"
#include "accel/fpga/devices/open_transport.hpp"
#include "accel/fpga/driver/device.hpp"

namespace fhe::bench {

struct PolynomialDevice::Opened {
  std::shared_ptr<fpga::Device> device;

  [[nodiscard]] std::uint64_t clocks() const {
    return device->statistics()[fpga::Opcode::karat].clocks;
  }
};

PolynomialDevice::PolynomialDevice(const std::string& name)
    : opened_(std::make_unique<Opened>(
          Opened{std::make_shared<fpga::Device>(fpga::open_transport(name))})) {
  static_cast<void>(
      device_polynomial_multiplier(2, opened_->device));  // throws where there is none
}

PolynomialDevice::~PolynomialDevice() = default;

std::optional<PolynomialDevice::Run> PolynomialDevice::multiply_all(
    const Integer& modulus, const std::vector<PolynomialMultiplier::Operands>& batch) const {
  const fpga::Equipment& equipment = opened_->device->info().equipment;
  if (bit_length(modulus) > equipment.coefficient_bits() ||
      batch.front().a.size() > equipment.most_coefficients()) {
    return std::nullopt;
  }
  const std::uint64_t before = opened_->clocks();
  const auto multiplier = device_polynomial_multiplier(modulus, opened_->device);
  std::vector<Polynomial> products = multiplier->multiply_all(batch);
  const auto clocks = static_cast<double>(opened_->clocks() - before);
  return Run{std::move(products), clocks / static_cast<double>(batch.size())};
}

}  // namespace fhe::bench
