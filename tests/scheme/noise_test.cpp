// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/noise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "libfhe/error.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_fixtures.hpp"  // failed checks show noise bounds
#include "tests/support/operands.hpp"

namespace fhe::test {

namespace {

constexpr std::uint32_t kUnits = NoiseBound::kUnitsPerBit;
constexpr std::uint32_t kMoreBits = 100;

// |value| <= 2^bound, decided in integers: |value|^1024 <= 2^units.
bool covers(std::uint64_t units, const Integer& value) {
  if (value == 0) return true;
  Integer power;
  mpz_pow_ui(power.get_mpz_t(), value.get_mpz_t(), kUnits);
  return bit_length(Integer(abs(power) - 1)) <= units;
}

bool covers(NoiseBound bound, const Integer& value) {
  return covers(bound.units(), value);
}

std::vector<Integer> magnitudes() {
  Operands operands(111);
  std::vector<Integer> values;
  for (int small = 0; small <= 40; ++small) values.emplace_back(small);
  for (const std::size_t bits : {20U, 53U, 54U, 55U, 64U, 65U, 200U, 700U}) {
    values.push_back(power_of_two(bits) - 1);
    values.push_back(power_of_two(bits));
    values.push_back(power_of_two(bits) + 1);
    for (int i = 0; i < 5; ++i) values.push_back(operands.exactly(bits));
  }
  return values;
}

const std::vector<std::uint32_t> kLargeUnits{std::uint32_t{1} << 30, (std::uint32_t{1} << 31) - 1,
                                             std::uint32_t{1} << 31,
                                             std::numeric_limits<std::uint32_t>::max()};

}  // namespace

TEST_CASE("the magnitude of a bound is the largest integer within it", "[noise]") {
  for (const std::uint32_t units : {0U, 1U, 511U, 1023U, 1024U, 1025U, 20 * kUnits, 20 * kUnits + 1,
                                    46 * kUnits + 7, 64 * kUnits, 700 * kUnits + 1000}) {
    CAPTURE(units);
    const NoiseBound bound = NoiseBound::from_units(units);
    const Integer magnitude = bound.magnitude();
    CHECK_FALSE(covers(bound, magnitude + 1));
    if (units < 47 * kUnits || units % kUnits == 0) CHECK(covers(bound, magnitude));
    CHECK(covers(NoiseBound::from_units(units + 1), magnitude));
    CHECK(bound.magnitude(kMoreBits) ==
          NoiseBound::from_units(units + kMoreBits * kUnits).magnitude());
    CHECK(NoiseBound::from_magnitude(magnitude) <= NoiseBound::from_units(units + 2));
  }
}

TEST_CASE("the magnitude of a large bound is never below it", "[noise]") {
  for (std::uint32_t part = 1; part <= 40; ++part) {
    CAPTURE(part);
    const NoiseBound bound = NoiseBound::from_units(700 * kUnits + part);
    CHECK_FALSE(covers(bound, bound.magnitude() + 1));
  }
}

TEST_CASE("bounds from bits round up to the next unit", "[noise]") {
  CHECK(NoiseBound().units() == 0);
  CHECK(NoiseBound::from_bits(0).units() == 0);
  CHECK(NoiseBound::from_bits(27).units() == 27 * kUnits);
  CHECK(NoiseBound::from_bits(27).bits() == 27.0);
  CHECK(NoiseBound::from_bits(1.5).units() == kUnits + kUnits / 2);
  CHECK(NoiseBound::from_bits(1e-12).units() == 1);
  CHECK(NoiseBound::from_bits(std::nextafter(3.0, 4.0)).units() == 3 * kUnits + 1);
  CHECK(NoiseBound::from_bits(std::nextafter(0x1p20, 0.0)).units() == kUnits << 20);
  for (int i = 0; i < 5000; ++i) {
    const double bits = i * 0.7310585;
    const NoiseBound bound = NoiseBound::from_bits(bits);
    CHECK(bound.bits() >= bits);
    CHECK(bound.bits() < bits + 1.0 / kUnits);
  }
}

TEST_CASE("bits outside the range of a bound are refused", "[noise]") {
  for (const double bits :
       {-1.0, -1e-300, 0x1p20, 1e300, std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    CHECK_THROWS_MATCHES(NoiseBound::from_bits(bits), Error, HasCode(ErrorCode::invalid_argument));
  }
  CHECK_THROWS_MATCHES(NoiseBound::from_magnitude(power_of_two(1 << 20)), Error,
                       HasCode(ErrorCode::invalid_argument));
}

TEST_CASE("bounds from units keep them", "[noise]") {
  CHECK(NoiseBound::from_units(0) == NoiseBound());
  CHECK(NoiseBound::from_units(1234).units() == 1234);
  CHECK(NoiseBound::from_units(1) > NoiseBound::from_units(0));
  CHECK(NoiseBound::from_units(512).bits() == 0.5);
}

TEST_CASE("a bound from a magnitude covers it, within one unit of the smallest", "[noise]") {
  CHECK(NoiseBound::from_magnitude(0) == NoiseBound());
  CHECK(NoiseBound::from_magnitude(1) == NoiseBound());
  CHECK(NoiseBound::from_magnitude(-1) == NoiseBound());
  for (const Integer& value : magnitudes()) {
    const NoiseBound bound = NoiseBound::from_magnitude(value);
    CAPTURE(value, bound.units());
    CHECK(covers(bound, value));
    CHECK(NoiseBound::from_magnitude(-value) == bound);
    if (bound.units() >= 2) CHECK_FALSE(covers(bound.units() - 2, value));
  }
}

TEST_CASE("a larger magnitude never has a smaller bound", "[noise]") {
  std::vector<Integer> values = magnitudes();
  std::ranges::sort(values);
  for (std::size_t i = 1; i < values.size(); ++i) {
    CHECK(NoiseBound::from_magnitude(values[i - 1]) <= NoiseBound::from_magnitude(values[i]));
  }
}

TEST_CASE("sums and products of bounds cover sums and products of values", "[noise]") {
  const std::vector<Integer> values = magnitudes();
  for (std::size_t i = 0; i < values.size(); i += 7) {
    for (const Integer& y : values) {
      const Integer& x = values[i];
      const NoiseBound bound_x = NoiseBound::from_magnitude(x);
      const NoiseBound bound_y = NoiseBound::from_magnitude(y);
      CAPTURE(x, y);
      CHECK(covers(bound_x + bound_y, x + y));
      CHECK(covers(bound_x * bound_y, x * y));
    }
  }
}

TEST_CASE("products of bounds add their units", "[noise]") {
  CHECK((NoiseBound::from_units(1000) * NoiseBound::from_units(234)).units() == 1234);
  CHECK((NoiseBound::from_units(1000) * NoiseBound()).units() == 1000);
}

TEST_CASE("sums of bounds are sharp to a unit at every gap", "[noise]") {
  const std::uint32_t large = 40 * kUnits;
  for (std::uint32_t gap = 0; gap <= large; gap += gap < 3000 ? 1 : 97) {
    const auto sum = NoiseBound::from_units(large) + NoiseBound::from_units(large - gap);
    const long double growth =
        std::log2(1.0L + std::exp2(-static_cast<long double>(gap) / kUnits)) * kUnits;
    const auto grown = static_cast<long double>(sum.units() - large);
    REQUIRE(grown >= growth);
    REQUIRE(grown <= growth + 1);
  }
  CHECK((NoiseBound() + NoiseBound()).units() == kUnits);
}

TEST_CASE("sums of bounds do not depend on the order of the two", "[noise]") {
  for (std::uint32_t a = 0; a < 5000; a += 77) {
    for (std::uint32_t b = 0; b < 5000; b += 91) {
      const NoiseBound x = NoiseBound::from_units(a);
      const NoiseBound y = NoiseBound::from_units(b);
      CHECK(x + y == y + x);
      CHECK(x * y == y * x);
      CHECK(x + y > std::max(x, y));
      CHECK(x * y >= std::max(x, y));
    }
  }
}

TEST_CASE("larger bounds never lead to smaller sums and products", "[noise]") {
  for (std::uint32_t fixed = 0; fixed < 9000; fixed += 1111) {
    const NoiseBound x = NoiseBound::from_units(fixed);
    for (std::uint32_t units = 0; units < 9000; ++units) {
      const NoiseBound y = NoiseBound::from_units(units);
      const NoiseBound next = NoiseBound::from_units(units + 1);
      REQUIRE(x + y <= x + next);
      REQUIRE(x * y <= x * next);
    }
  }
}

TEST_CASE("bounds too large for any use stay large", "[noise]") {
  for (const std::uint32_t large : kLargeUnits) {
    for (const std::uint32_t other : {std::uint32_t{0}, kUnits, large}) {
      const NoiseBound x = NoiseBound::from_units(large);
      const NoiseBound y = NoiseBound::from_units(other);
      CAPTURE(large, other);
      CHECK(x + y >= x);
      CHECK(x * y >= x);
    }
  }
  NoiseBound growing = NoiseBound::from_units(std::uint32_t{1} << 30);
  for (int i = 0; i < 100; ++i) {
    const NoiseBound squared = growing * growing + growing;
    CHECK(squared >= growing);
    growing = squared;
  }
}

TEST_CASE("a noise rule charges products with the growth of its ring", "[noise]") {
  const NoiseRule rule{.decrypt_limit = NoiseBound::from_bits(100),
                       .refresh_limit = NoiseBound::from_bits(94),
                       .product_growth = NoiseBound::from_bits(3)};
  const NoiseBound x = NoiseBound::from_bits(10);
  const NoiseBound y = NoiseBound::from_bits(20);
  CHECK(rule.sum(x, y) == x + y);
  CHECK(rule.product(x, y) == NoiseBound::from_bits(33));
}

}  // namespace fhe::test
