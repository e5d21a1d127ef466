// SPDX-License-Identifier: Apache-2.0
// A secret fraction |w|/d, and its multiples modulo 2 in linear time. Not installed.
#pragma once

#include <cstddef>

#include "libfhe/arith/integer.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe::gh {

// Decryption asks for the integer next to c |w|/d, modulo 2, and for the distance to it, relative
// to a power of two: a few digits of the product of c and of the expansion of |w|/d around the
// point. With B = 2^64, N the limbs of d, G those kept of the fraction, and F = floor(|w|/d
// B^(N+G)),
//
//   c |w|/d B^G = sum_i c_i floor(F / B^(N-i)) + error,      0 <= error < (N+1) B,
//
// where each term counts modulo B^(G+1) only: N times G+1 products of limbs.
class FixedPointRatio {
 public:
  // Requires |w| < d. The error is below 2^-fraction_bits. The one division that this takes is
  // GMP's: its time depends on the sizes and, slightly, on the values.
  FixedPointRatio(const Integer& w, const Integer& d, std::size_t fraction_bits);

  struct NearestInteger {
    bool odd;
    SecretLimbs distance;  // in units of 2^-unit_bits(), rounded up
  };

  // The integer nearest to c |w|/d. Requires 0 <= c < d. When the distance comes out as 1/2 or more
  // it may be the other neighbour. Time and memory accesses depend on the lengths of c and d alone.
  [[nodiscard]] NearestInteger nearest(const Integer& c) const;

  [[nodiscard]] std::size_t unit_bits() const { return fraction_limbs_ * kLimbBits; }

 private:
  std::size_t modulus_limbs_;   // N
  std::size_t fraction_limbs_;  // G
  SecretLimbs digits_;          // of F, N + G + 1 with leading zeros
};

}  // namespace fhe::gh
