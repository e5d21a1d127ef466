// SPDX-License-Identifier: Apache-2.0
// Barrett reduction with cached constants, for arguments of any length.
#pragma once

#include <cstddef>

#include "libfhe/arith/integer.hpp"
#include "libfhe/export.hpp"

namespace fhe {

class Backend;

// Computes x mod N with two products. With n = bits(N), mu = floor(2^(2n) / N) and an argument of
// n + e bits, e <= n, the quotient estimate
//
//   q = floor( floor(x / 2^(n-2)) * floor(mu / 2^(n-e-2)) / 2^(e+4) )
//
// is never above floor(x / N) and at most 3 below it, so at most three subtractions follow; only
// the e + 2 leading bits of x and of mu enter. After an encryption sum e is about alpha +
// log2(tau), so the reduction costs ONE alpha-by-gamma product and not a full multiplication.
// Longer arguments are reduced n bits at a time from the top.
class FHE_EXPORT BarrettReducer {
 public:
  // Requires modulus >= 2.
  explicit BarrettReducer(const Integer& modulus);
  // The same where mu is known: its division takes longer than many reductions.
  BarrettReducer(const Integer& modulus, Integer reciprocal);

  // mu = floor(2^(2n) / N), of n + 1 bits.
  [[nodiscard]] const Integer& reciprocal() const { return reciprocal_; }

  // x mod N in [0, N) for any x, negative ones included; the backend computes the two products.
  [[nodiscard]] Integer reduce(const Integer& x, const Backend& backend) const;

 private:
  // Reduces 0 <= x < 2^(2n).
  [[nodiscard]] Integer reduce_double(const Integer& x, const Backend& backend) const;

  Integer modulus_;
  std::size_t modulus_bits_;
  Integer reciprocal_;  // mu
};

}  // namespace fhe
