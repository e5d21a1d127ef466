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
