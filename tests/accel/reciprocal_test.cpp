// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "accel/cpu/rings.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

namespace {

using cpu::Multiplier;

void check_reciprocal(const Integer& divisor, std::size_t bits, const Multiplier& multiplier) {
  CAPTURE(bit_length(divisor), bits);
  CHECK(cpu::reciprocal(divisor, bits, multiplier) == power_of_two(bits) / divisor);
}

}  // namespace

TEST_CASE("reciprocals are those of a division", "[engine]") {
  const Multiplier multiplier(cpu::Field::goldilocks, cpu::Kernel::portable);
  Operands operands(31);
  for (const std::size_t bits : {2U, 3U, 64U, 1000U, 32'768U, 40'000U, 100'001U, 147'456U}) {
    const std::vector<Integer> divisors{power_of_two(bits - 1), power_of_two(bits - 1) + 1,
                                        power_of_two(bits) - 1, operands.exactly(bits),
                                        operands.exactly(bits)};
    for (const Integer& divisor : divisors) {
      for (const std::size_t more :
           {std::size_t{0}, std::size_t{1}, bits - 1, bits, bits + 63, 3 * bits,
            std::size_t{32'766}, std::size_t{32'767}, std::size_t{32'768}, std::size_t{70'000}}) {
        check_reciprocal(divisor, bits + more, multiplier);
      }
    }
  }
}

TEST_CASE("reciprocals around exact quotients", "[engine]") {
  const Multiplier multiplier(cpu::Field::goldilocks, cpu::Kernel::portable);
  Operands operands(32);
  // d with 2^k = q d + r, r at the ends of [0, d).
  for (int i = 0; i < 20; ++i) {
    const Integer quotient = operands.exactly(operands.between(33'000, 90'000));
    const std::size_t k = bit_length(quotient) + operands.between(33'000, 90'000);
    const Integer divisor = power_of_two(k) / quotient;
    for (const Integer& near : {divisor, Integer(divisor + 1)}) {
      check_reciprocal(near, k, multiplier);
    }
  }
}

}  // namespace fhe::test
