// SPDX-License-Identifier: Apache-2.0
// Products with a short factor against GMP.
#include <cstddef>
#include <vector>

#include "accel/cpu/multiplier.hpp"
#include "accel/cpu/schoolbook/schoolbook.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

namespace {

// Those of this processor that make products by the schoolbook.
std::vector<cpu::Kernel> schoolbook_kernels() {
  std::vector<cpu::Kernel> kernels = cpu::available_kernels();
  std::erase_if(kernels, [](cpu::Kernel kernel) {
    return !cpu::schoolbook_pays(kernel, cpu::kMaxSchoolbookLimbs, 10'000, false);
  });
  return kernels;
}

// Of every kind: random, all ones, runs of equal bits, a power of two.
std::vector<Integer> factors(Operands& operands, std::size_t limbs) {
  const std::size_t bits = limbs * kLimbBits;
  const std::size_t shorter = bits - operands.between(0, kLimbBits - 1);
  return {operands.exactly(shorter), all_ones(bits),
          Integer(operands.runs(bits) | power_of_two(bits - 1)), power_of_two(shorter - 1)};
}

}  // namespace

TEST_CASE("products with a short factor are exact at every length", "[engine]") {
  Operands operands(33);
  const std::vector<cpu::Kernel> kernels = schoolbook_kernels();
  for (std::size_t shorter = 1; shorter <= cpu::kMaxSchoolbookLimbs; ++shorter) {
    // Around whole steps and tiles of columns, 26 and 416 words, with the factor above them.
    for (const std::size_t longer :
         {shorter, shorter + 1, std::size_t{101}, 416 - shorter, 417 - shorter, 832 - shorter,
          833 - shorter, 1000 + operands.between(0, 60)}) {
      if (longer < shorter) continue;
      CAPTURE(shorter, longer);
      for (const Integer& x : factors(operands, longer)) {
        for (const Integer& y : factors(operands, shorter)) {
          const Integer product = x * y;
          for (const cpu::Kernel kernel : kernels) {
            REQUIRE(cpu::schoolbook_product(kernel, x, y) == product);
          }
        }
      }
    }
  }
}

TEST_CASE("what is multiplied by the schoolbook has signs, and may be one operand", "[engine]") {
  Operands operands(34);
  for (const cpu::Kernel kernel : cpu::available_kernels()) {
    const cpu::Multiplier multiplier(cpu::Field::goldilocks, kernel);
    for (const std::size_t limbs : {1U, 3U, 4U, 16U, 47U, 48U, 64U, 100U, 101U}) {
      const Integer x = operands.exactly(limbs * kLimbBits);
      const Integer y = operands.exactly(70 * kLimbBits - 5);
      CAPTURE(cpu::to_string(kernel), limbs);
      CHECK(multiplier.multiply(x, -y) == -x * y);
      CHECK(multiplier.multiply(-y, -x) == x * y);
      CHECK(multiplier.multiply(x, x) == x * x);
      CHECK(multiplier.multiply(x, Integer(0)) == 0);
    }
  }
}

}  // namespace fhe::test
