// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/reciprocal.hpp"

#include <algorithm>

namespace fhe::cpu {

namespace {

// Bits of a quotient up to which GMP divides.
constexpr std::size_t kDividedBits = std::size_t{1} << 15;

}  // namespace

// With d of n bits, the quotient X = 2^k / d has q = k - n + 1 bits, or one less. From the
// reciprocal y of the leading m bits d' of d, y = floor(2^(m+h-1) / d') of h bits, h > q/2:
//
//   x = 2^(q-h) y = X (1 + e),  |e| < 2^(2-h);   E = 2^k - x d;   c = x E / 2^k,
//
// and x + c = X (1 - e^2) is off by less than 2^(q+4-2h) < 1. For c the leading bits of E are
// enough: with E' = floor(E / 2^(n-2)) it is y E' / 2^(h+1), off by one more at most. All of this
// is rounded down, so the result is never too large, and the remainder E - c d says how much is
// missing.
Integer reciprocal(const Integer& divisor, std::size_t bits, const Multiplier& multiplier) {
  const std::size_t n = bit_length(divisor);
  if (bits < n + kDividedBits) return power_of_two(bits) / divisor;
  const std::size_t q = bits - n + 1;
  const std::size_t h = q / 2 + 4;
  const std::size_t m = std::min(n, h + 2);
  const Integer y = reciprocal(divisor >> (n - m), m + h - 1, multiplier);

  const Integer error = power_of_two(bits) - (multiplier.multiply(y, divisor) << (q - h));
  const Integer correction = multiplier.multiply(y, error >> (n - 2)) >> (h + 1);
  Integer x = (y << (q - h)) + correction;
  Integer remainder = error - multiplier.multiply(correction, divisor);
  for (; remainder >= divisor; remainder -= divisor) ++x;
  return x;
}

}  // namespace fhe::cpu
