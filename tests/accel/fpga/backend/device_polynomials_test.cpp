// SPDX-License-Identifier: Apache-2.0
// Products of polynomials on the device: those of the software multiplier, on the simulated RTL and
// on models of other sizes.
#include "accel/fpga/backend/device_polynomials.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "accel/fpga/contract/equipment.hpp"
#include "accel/fpga/devices/open_transport.hpp"
#include "accel/fpga/driver/device.hpp"
#include "accel/fpga/model/model_transport.hpp"
#include "libfhe/arith/registry.hpp"
#include "tests/accel/polynomials/schoolbook.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

namespace {

using Batch = std::vector<PolynomialMultiplier::Operands>;

// A model for polynomials of this size, with so much memory.
std::shared_ptr<fpga::Device> modelled(std::uint32_t log2_size, std::uint32_t bits,
                                       std::uint64_t megabytes = 64) {
  return std::make_shared<fpga::Device>(std::make_unique<fpga::ModelTransport>(
      fpga::DeviceMemory(std::uint64_t{4} << 30, megabytes << 20),
      fpga::Equipment{.features = fpga::kKaratsubaEquipment.features,
                      .karat_param = log2_size | bits << 8}));
}

Batch some_batch(Operands& operands, const Integer& modulus, std::size_t count,
                 std::size_t longest) {
  Batch batch;
  for (std::size_t i = 0; i < count; ++i) {
    batch.push_back({some_polynomial(operands, operands.between(1, longest), modulus),
                     some_polynomial(operands, operands.between(1, longest), modulus)});
  }
  return batch;
}

void check_products(const PolynomialMultiplier& multiplier, const Batch& batch) {
  const auto software = kronecker_multiplier(multiplier.modulus(), open_backend());
  CHECK(multiplier.multiply_all(batch) == software->multiply_all(batch));
}

std::vector<Integer> some_moduli(Operands& operands, std::size_t bits) {
  return {2,
          3,
          operands.exactly(bits / 2),
          power_of_two(bits - 1),
          power_of_two(bits) - 1,
          operands.exactly(bits)};
}

}  // namespace

#ifdef FHE_HARDWARE
TEST_CASE("products of polynomials on the simulated device equal software", "[fpga][karatsuba]") {
  const auto device = std::make_shared<fpga::Device>(fpga::open_transport("sim=karatsuba"));
  Operands operands(71);
  for (const Integer& modulus : some_moduli(operands, 64)) {
    const auto multiplier = device_polynomial_multiplier(modulus, device);
    check_products(*multiplier, some_batch(operands, modulus, 12, 20));
    check_products(*multiplier, some_batch(operands, modulus, 2, 128));
  }
}
#endif

TEST_CASE("products of polynomials on modelled devices equal software", "[fpga][karatsuba]") {
  Operands operands(72);
  for (const std::uint32_t bits : {64U, 128U, 192U}) {
    const auto device = modelled(8, bits);
    for (const Integer& modulus : some_moduli(operands, bits)) {
      const auto multiplier = device_polynomial_multiplier(modulus, device);
      check_products(*multiplier, some_batch(operands, modulus, 10, 40));
      check_products(*multiplier, some_batch(operands, modulus, 2, 256));
    }
  }
}

TEST_CASE("products of polynomials of one coefficient, and of one object", "[fpga][karatsuba]") {
  const auto multiplier = device_polynomial_multiplier(97, "model=karatsuba");
  CHECK(multiplier->multiply({96}, {96}) == Polynomial{1});
  const Polynomial x{1, 2, 3};
  CHECK(multiplier->multiply(x, x) == Polynomial{1, 4, 10, 12, 9});
  CHECK(multiplier->multiply_all({}).empty());
}

TEST_CASE("a long batch is several commands", "[fpga][karatsuba]") {
  Operands operands(73);
  const Integer modulus = operands.exactly(64);
  const auto device = modelled(7, 64, 1);  // 64 KiB of operands a command
  const auto multiplier = device_polynomial_multiplier(modulus, device);
  const Batch batch = some_batch(operands, modulus, 3000, 8);
  check_products(*multiplier, batch);
  CHECK(device->statistics().at(fpga::Opcode::karat).commands == 3);
  // No memory stays behind.
  const std::uint64_t free = device->memory().free_bytes();
  check_products(*multiplier, batch);
  CHECK(device->memory().free_bytes() == free);
}

TEST_CASE("operands and moduli that a device does not take are refused", "[fpga][karatsuba]") {
  const auto device = modelled(5, 64);
  const auto refused = [](ErrorCode code, const std::string& part) { return HasCode(code, part); };
  CHECK_THROWS_MATCHES(device_polynomial_multiplier(1, device), Error,
                       refused(ErrorCode::invalid_argument, "at least 2"));
  CHECK_THROWS_MATCHES(device_polynomial_multiplier(power_of_two(64), device), Error,
                       refused(ErrorCode::invalid_argument, "65 bits"));
  CHECK_THROWS_MATCHES(device_polynomial_multiplier(5, "model"), Error,
                       refused(ErrorCode::unsupported, "polynomial"));
  CHECK_THROWS_MATCHES(open_backend("fpga:model=karatsuba"), Error,
                       refused(ErrorCode::unsupported, "does not multiply integers"));
  CHECK_THROWS_MATCHES(device_polynomial_multiplier(5, "nothing"), Error,
                       refused(ErrorCode::unknown_name, "nothing"));
  const auto multiplier = device_polynomial_multiplier(5, device);
  const Polynomial fits(32, Integer(4)), longer(33, Integer(4));
  CHECK(multiplier->multiply(fits, fits) == schoolbook(fits, fits, 5));
  CHECK_THROWS_MATCHES(multiplier->multiply(fits, longer), Error,
                       refused(ErrorCode::invalid_argument, "32 at most"));
  CHECK_THROWS_MATCHES(multiplier->multiply({5}, {1}), Error, HasCode(ErrorCode::invalid_argument));
  const Batch batch{{fits, fits}, {longer, {1}}};
  const auto before = device->statistics()[fpga::Opcode::karat].commands;
  CHECK_THROWS_MATCHES(multiplier->multiply_all(batch), Error,
                       refused(ErrorCode::invalid_argument, "33 coefficients"));
  CHECK(device->statistics()[fpga::Opcode::karat].commands == before);
}

}  // namespace fhe::test
