// SPDX-License-Identifier: Apache-2.0
// GH recryption: decryption of a ciphertext under encryption. Not installed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "libfhe/arith/ring.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/adder/adder.hpp"
#include "libfhe/scheme/gh/parameters.hpp"
#include "libfhe/scheme/gh/squash.hpp"

namespace fhe::gh {

// Encryptions of the bits of cs. With e = [c w]_d, y_k the chosen element of block k times c, and
// z_k its expansion,
//
//   sum_k y_k = e + d Q,   Q = round(sum_k y_k / d),   b = e mod 2 = sum_k y_k + Q mod 2,
//
// because |e| < d 2^-(p+1) and d is odd; z_k holds y_k / d rounded to p bits, whose errors sum to
// at most s 2^-(p+1), and the parity of y_k in its integer bit. So b is the rounded sum of the z_k
// modulo 2: RowProgram. Requires 0 <= c < d and noise within refresh_limit.
std::vector<Integer> recrypt_all(const Parameters& parameters, const KeyOperands& key,
                                 const Ring& ring, const AdderProgram& adder,
                                 std::span<const Integer> cs, const Monitor& monitor);

// What this holds at its peak for a d of so many bits, as KeyShape::recryption_integers.
[[nodiscard]] std::size_t recryption_integers(const Parameters& parameters,
                                              std::size_t modulus_bits);

}  // namespace fhe::gh
