// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/noise.hpp"

#include <algorithm>
#include <cmath>

#include "libfhe/error.hpp"

namespace fhe {

namespace {

constexpr double kMaxBits = 1 << 20;

}  // namespace

NoiseBound NoiseBound::from_bits(double bits) {
  if (!(bits >= 0 && bits < kMaxBits)) {
    throw Error(ErrorCode::invalid_argument, "a noise bound is between 0 and 2^20 bits");
  }
  return NoiseBound(static_cast<std::uint32_t>(std::ceil(bits * kUnitsPerBit)));
}

NoiseBound NoiseBound::from_magnitude(const Integer& value) {
  if (abs(value) <= 1) return NoiseBound();
  long exponent = 0;
  const double mantissa = mpz_get_d_2exp(&exponent, value.get_mpz_t());
  // mpz_get_d_2exp truncates: one unit more covers the lost bits and the rounding of log2.
  const double bits = static_cast<double>(exponent) + std::log2(std::abs(mantissa));
  return NoiseBound(from_bits(bits).units_ + 1);
}

Integer NoiseBound::magnitude(std::size_t fraction_bits) const {
  // The mantissa 2^(part of a bit), as an integer with this many fractional bits. Except for the
  // exact 2^0, one unit more covers the rounding of exp2.
  constexpr std::size_t kMantissaBits = 50;
  const std::uint32_t part = units_ % kUnitsPerBit;
  const double mantissa =
      std::ldexp(std::exp2(static_cast<double>(part) / kUnitsPerBit), kMantissaBits);
  Integer result(part == 0 ? mantissa : std::floor(mantissa) + 1);
  result <<= units_ / kUnitsPerBit + fraction_bits;
  return result >> kMantissaBits;
}

NoiseBound operator+(NoiseBound x, NoiseBound y) {
  const auto [small, large] = std::minmax(x.units_, y.units_);
  // log2(2^a + 2^b) = b + log2(1 + 2^(a-b)); the result is at most one bit and never 0, and one
  // unit more covers the rounding of the standard library's functions.
  const double gap = static_cast<double>(large - small) / NoiseBound::kUnitsPerBit;
  const double growth = std::log2(1.0 + std::exp2(-gap)) * NoiseBound::kUnitsPerBit;
  const auto rounded = static_cast<std::uint32_t>(std::floor(growth)) + 1;
  return NoiseBound::saturated(std::uint64_t{large} + std::min(rounded, NoiseBound::kUnitsPerBit));
}

NoiseBound operator*(NoiseBound x, NoiseBound y) {
  return NoiseBound::saturated(std::uint64_t{x.units_} + y.units_);
}

}  // namespace fhe
