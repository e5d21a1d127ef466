// SPDX-License-Identifier: Apache-2.0
// Residues modulo a number of many limbs, such as the product of all secret primes of a key.
#pragma once

#include <cstddef>
#include <vector>

#include "libfhe/arith/backend.hpp"

namespace fhe::cpu {

// Backend::residues for a modulus N of n bits by products in the backend's ring Z/N: y is cut into
// chunks y_j of n - 1 bits, and
//
//   y mod N = sum_j y_j W_j mod N,   W_j = 2^(j (n-1)) mod N,
//
// takes one forward transform for each chunk, those of the W_j being kept, and a single reduction.
// The modulus is secret: the ring lives as long as the call. Requires modulus >= 3.
std::vector<Integer> long_residues(const IntegerStream& stream, const Integer& modulus,
                                   const Backend& backend, const Monitor& monitor);

// Whether the modulus is long enough for that to be faster than divisions by GMP.
inline bool is_long_modulus(const Integer& modulus) {
  constexpr std::size_t kLeastBits = std::size_t{1} << 14;
  return modulus > 0 && bit_length(modulus) > kLeastBits;
}

}  // namespace fhe::cpu
