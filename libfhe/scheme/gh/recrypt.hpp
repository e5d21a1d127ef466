// SPDX-License-Identifier: Apache-2.0
// GH recryption: decryption of a ciphertext under encryption. Not installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libfhe/arith/ring.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/adder/adder.hpp"
#include "libfhe/scheme/gh/parameters.hpp"
#include "libfhe/scheme/gh/squash.hpp"

namespace fhe::gh {

// For every block k the p + 1 bits of z_k, the number that the expanded ciphertext `z` holds for
// the chosen element of the block, encrypted: bit i at k (p + 1) + i. It is
//
//   sum over a of eta_k,a (sum of the eta_k,b, b > a, whose element (a, b) has bit i set):
//
// additions (Ring::selected_elements), and one sum of as many products as there are a
// (Ring::dot_all). Memory: about 0.5 GB, or one block's worth where that is more, beside the key.
std::vector<Operand> select_bits(const Parameters& parameters, const KeyOperands& key,
                                 const Ring& ring, const std::vector<std::uint32_t>& z,
                                 const Monitor& monitor);

// An encryption of the bit of c. With e = [c w]_d, y_k the chosen element of block k times c, and
// z_k its expansion,
//
//   sum_k y_k = e + d Q,   Q = round(sum_k y_k / d),   b = e mod 2 = sum_k y_k + Q mod 2,
//
// because |e| < d 2^-(p+1) and d is odd; z_k holds y_k / d rounded to p bits, whose errors sum to
// at most s 2^-(p+1), and the parity of y_k in its integer bit. So b is the rounded sum of the z_k
// modulo 2, which the adder computes from select_bits. Requires 0 <= c < d and noise within
// refresh_limit.
Integer recrypt(const Parameters& parameters, const KeyOperands& key, const Ring& ring,
                const AdderProgram& adder, const Integer& c, const Monitor& monitor);

// What this holds at its peak for a d of so many bits, as KeyShape::recryption_integers.
[[nodiscard]] std::size_t recryption_integers(const Parameters& parameters,
                                              std::size_t modulus_bits);

}  // namespace fhe::gh
