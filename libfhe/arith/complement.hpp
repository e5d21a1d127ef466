// SPDX-License-Identifier: Apache-2.0
// Reduction modulo an N just below a power of two.
#pragma once

#include <cstddef>

#include "libfhe/arith/integer.hpp"
#include "libfhe/export.hpp"

namespace fhe {

class Backend;

// The complement of N: r = 2^n - N, n = bits(N). Requires N >= 1.
[[nodiscard]] FHE_EXPORT Integer complement_of(const Integer& modulus);

// Computes x mod N = 2^n - r where r is short. Since 2^n = r mod N,
//
//   x = h 2^n + l  =  h r + l  mod N,
//
// which is shorter than x by about n - bits(r) bits as long as h is not 0; then x < 2^n, and at
// most one subtraction is left. For x of 2n bits that is a product of n by bits(r) bits and two
// tiny ones, where Barrett's method takes two products of n by n bits; nothing is precomputed.
class FHE_EXPORT ComplementReducer {
 public:
  // Whether r has at most half the bits of N: then this is the method to take.
  [[nodiscard]] static bool suits(const Integer& modulus);

  // Requires modulus >= 2 and that it suits.
  explicit ComplementReducer(const Integer& modulus);

  // r.
  [[nodiscard]] const Integer& complement() const { return complement_; }

  // x mod N in [0, N) for any x, negative ones included; the backend computes the products.
  [[nodiscard]] Integer reduce(const Integer& x, const Backend& backend) const;

 private:
  Integer modulus_;
  std::size_t modulus_bits_;
  Integer complement_;
};

}  // namespace fhe
