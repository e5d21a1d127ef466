// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>

#include "accel/gpu/backend/arithmetic.hpp"
#include "libfhe/arith/integer.hpp"
#include "tests/catch.hpp"

namespace fhe::gpu {

namespace {

// What a plan promises, in integers of any length.
void check_plan(std::size_t x_bits, std::size_t y_bits) {
  CAPTURE(x_bits, y_bits);
  const auto plan = plan_for(x_bits, y_bits);
  REQUIRE(plan);
  const std::size_t x = plan->digits(x_bits);
  const std::size_t y = plan->digits(y_bits);
  CHECK(x + y <= plan->length());
  CHECK(x * plan->digit_bits >= x_bits);
  const Integer digit = power_of_two(plan->digit_bits) - 1;
  CHECK(plan->terms >= 1);
  CHECK(Integer(plan->terms) * std::max<std::size_t>(std::min(x, y), 1) * digit * digit <
        Integer(kPrime));
}

}  // namespace

TEST_CASE("plans keep all coefficients below the prime") {
  for (const std::size_t bits : {1U, 8U, 63U, 64U, 1000U, 1024U, 1025U, 786'432U, 19'350'000U}) {
    check_plan(bits, bits);
    check_plan(bits, 1);
    check_plan(1, bits);
    check_plan(bits, bits / 3 + 1);
  }
  for (std::size_t bits = 1; bits <= 100'000; bits += bits / 7 + 1) check_plan(bits, bits);
  check_plan(kMostOperandBits, kMostOperandBits);
  check_plan(kMostOperandBits, 1);
}

TEST_CASE("there is no plan for longer numbers than the longest") {
  CHECK_FALSE(plan_for(kMostOperandBits + 1, kMostOperandBits + 1));
}

TEST_CASE("the published sizes have the lengths that their papers give") {
  CHECK(plan_for(786'432, 786'432)->log_length == 16);        // 64K points
  CHECK(plan_for(19'350'000, 19'350'000)->log_length == 21);  // CNT-Large
}

}  // namespace fhe::gpu
