// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/backend/device_polynomials.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "accel/fpga/contract/command.hpp"
#include "accel/fpga/devices/open_transport.hpp"
#include "accel/fpga/driver/device.hpp"
#include "accel/polynomials/hardware_format.hpp"
#include "libfhe/error.hpp"

namespace fhe {

namespace {

using fpga::Device;
using fpga::DeviceBuffer;
using karatsuba::NormalizedModulus;

constexpr std::size_t kFewestCoefficients = 8;
// Of a command's operands on either side; as much is copied while the one before is computed.
constexpr std::uint64_t kCommandBytes = std::uint64_t{1} << 20;
constexpr std::size_t kCommandsUnderWay = 2;
// Buffers of a command hold four times the operands of a side: all together half of the memory.
constexpr std::uint64_t kShareOfMemory = 2 * 4 * kCommandsUnderWay;

NormalizedModulus normalized(const Integer& modulus, std::uint32_t coefficient_bits) {
  if (coefficient_bits == 0) {
    throw Error(ErrorCode::unsupported,
                "this device has no polynomial multiplier; sim=karatsuba and model=karatsuba "
                "have one, "
                "and kronecker_multiplier needs no device");
  }
  if (bit_length(modulus) > coefficient_bits) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("a modulus of {} bits: coefficients on this device have {}; take "
                            "kronecker_multiplier",
                            bit_length(modulus), coefficient_bits));
  }
  return {modulus, coefficient_bits};
}

class DeviceMultiplier final : public PolynomialMultiplier {
 public:
  DeviceMultiplier(Integer modulus, std::shared_ptr<Device> device)
      : PolynomialMultiplier(std::move(modulus)),
        device_(std::move(device)),
        normalized_(normalized(this->modulus(), device_->info().equipment.coefficient_bits())),
        record_(device_->allocate(2 * fpga::kWordBytes)) {
    std::array<std::byte, 2 * fpga::kWordBytes> words;
    to_bytes(normalized_.modulus(), std::span(words).first<fpga::kWordBytes>());
    to_bytes(normalized_.barrett(), std::span(words).last<fpga::kWordBytes>());
    device_->put(record_.address(), words);
  }

 private:
  using Batch = std::span<const Operands>;

  // A command that was given, and what it works on.
  struct Running {
    Batch batch;
    std::size_t size;  // coefficients that each operand has on the device
    DeviceBuffer a, b, products;
    fpga::Ticket ticket;
  };

  [[nodiscard]] Polynomial product(const Polynomial& a, const Polynomial& b) const override {
    const Operands one{a, b};
    return products({&one, 1}).front();
  }

  [[nodiscard]] std::vector<Polynomial> products(Batch batch) const override {
    for (const Operands& operands : batch) check_length(operands);
    std::vector<Polynomial> results;
    results.reserve(batch.size());
    std::deque<Running> running;
    const auto collect = [&] {
      append_products(running.front(), results);
      running.pop_front();
    };
    while (!batch.empty()) {
      const Batch part = batch.first(count_of_first_command(batch));
      batch = batch.subspan(part.size());
      running.push_back(start(part));
      if (running.size() == kCommandsUnderWay) collect();
    }
    while (!running.empty()) collect();
    return results;
  }

  void check_length(const Operands& operands) const {
    const std::size_t most = device_->info().equipment.most_coefficients();
    const std::size_t longer = std::max(operands.a.size(), operands.b.size());
    if (longer > most) {
      throw Error(
          ErrorCode::invalid_argument,
          fmt::format("an operand of {} coefficients: this device takes {} at most; split it",
                      longer, most));
    }
  }

  static std::size_t size_on_device(const Operands& operands) {
    return std::bit_ceil(std::max({kFewestCoefficients, operands.a.size(), operands.b.size()}));
  }

  [[nodiscard]] std::size_t operand_bytes(std::size_t size) const {
    return size * device_->info().equipment.coefficient_bits() / 8;
  }

  // As many as have one size, and there is room for.
  [[nodiscard]] std::size_t count_of_first_command(Batch batch) const {
    const std::size_t size = size_on_device(batch.front());
    const std::uint64_t room = std::min(kCommandBytes, device_->memory().size() / kShareOfMemory);
    const auto most = std::max<std::uint64_t>(room / operand_bytes(size), 1);
    const auto other = std::ranges::find_if(
        batch, [&](const Operands& operands) { return size_on_device(operands) != size; });
    return std::min<std::size_t>(most, static_cast<std::size_t>(other - batch.begin()));
  }

  [[nodiscard]] Running start(Batch batch) const {
    const std::size_t size = size_on_device(batch.front());
    const std::size_t bytes = batch.size() * operand_bytes(size);
    const auto bits = static_cast<std::uint32_t>(8 * bytes);
    Running running{.batch = batch,
                    .size = size,
                    .a = device_->allocate(bytes),
                    .b = device_->allocate(bytes),
                    .products = device_->allocate(2 * bytes),
                    .ticket = {}};
    put_operands(running);
    running.ticket = device_->submit(fpga::multiply_polynomials(
        {running.products.address(), 2 * bits}, {running.a.address(), bits},
        {running.b.address(), bits}, record_.address(),
        static_cast<unsigned>(std::countr_zero(size)), static_cast<std::uint32_t>(batch.size())));
    return running;
  }

  void put_operands(const Running& running) const {
    std::vector<std::byte> a(running.a.size());
    std::vector<std::byte> b(running.b.size());
    const std::size_t bytes = operand_bytes(running.size);
    for (std::size_t i = 0; i < running.batch.size(); ++i) {
      const auto place = [&](std::vector<std::byte>& all) {
        return std::span(all).subspan(i * bytes, bytes);
      };
      Polynomial scaled = running.batch[i].a;
      for (Integer& coefficient : scaled) coefficient = normalized_.scaled(coefficient);
      karatsuba::to_beats(scaled, running.size, karatsuba::kOperandLanes, place(a));
      karatsuba::to_beats(running.batch[i].b, running.size, karatsuba::kOperandLanes, place(b));
    }
    device_->put(running.a.address(), a);
    device_->put(running.b.address(), b);
  }

  void append_products(const Running& running, std::vector<Polynomial>& results) const {
    device_->wait(running.ticket);
    std::vector<std::byte> all(running.products.size());
    device_->get(running.products.address(), all);
    const std::size_t bytes = 2 * operand_bytes(running.size);
    for (std::size_t i = 0; i < running.batch.size(); ++i) {
      Polynomial product = karatsuba::from_beats(std::span(all).subspan(i * bytes, bytes),
                                                 running.size, karatsuba::kResultLanes);
      product.resize(running.batch[i].a.size() + running.batch[i].b.size() - 1);
      for (Integer& coefficient : product) coefficient = normalized_.unscaled(coefficient);
      results.push_back(std::move(product));
    }
  }

  std::shared_ptr<Device> device_;
  NormalizedModulus normalized_;
  DeviceBuffer record_;
};

}  // namespace

std::unique_ptr<PolynomialMultiplier> device_polynomial_multiplier(Integer modulus,
                                                                   std::shared_ptr<Device> device) {
  return std::make_unique<DeviceMultiplier>(std::move(modulus), std::move(device));
}

std::unique_ptr<PolynomialMultiplier> device_polynomial_multiplier(Integer modulus,
                                                                   std::string_view device) {
  return device_polynomial_multiplier(std::move(modulus),
                                      std::make_shared<Device>(fpga::open_transport(device)));
}

}  // namespace fhe
