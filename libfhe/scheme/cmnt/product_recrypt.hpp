// SPDX-License-Identifier: Apache-2.0
// Recryption with a squashed key of product form, as published (CMNT 2011, ePrint 2011/441). Not
// installed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "libfhe/arith/ring.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/adder/adder.hpp"
#include "libfhe/scheme/dghv/parameters.hpp"
#include "libfhe/scheme/dghv/squash.hpp"

namespace fhe::cmnt {

// Encryptions of the bits of cs, like dghv::recrypt_all, for s_ij = s0_i s1_j. Each pair of a box K
// of s0 and a box L of s1 holds one pair of ones, so bit b of the number that it contributes is
//
//   sum_{j in L} sigma1_j * sum_{i in K, bit b of z_ij set} sigma0_i,
//
// and the adder sums the 15 numbers. z_ij is element i * side() + j of the expanded ciphertext.
// L * 3 * 5 products with kRowBoxes * kColumnBoxes * (n + 1) long reductions for L = side().
// Requires 0 <= c < x0 and noise within refresh_limit.
std::vector<Integer> recrypt_products(const dghv::Parameters& parameters,
                                      const dghv::SquashedKey& key, const Ring& ring,
                                      const AdderProgram& adder, std::span<const Integer> cs,
                                      const Monitor& monitor);

// What this holds at its peak, as KeyShape::recryption_integers.
[[nodiscard]] std::size_t product_recryption_integers(const dghv::Parameters& parameters);

}  // namespace fhe::cmnt
