// SPDX-License-Identifier: Apache-2.0
// Bytes of AES whose bits are wires or ciphertexts: what MixColumns computes in them. A byte has
// bit 0, its lowest, first.
#pragma once

#include <cstddef>
#include <vector>

namespace fhe::bench {

// x + y. `algebra` has xor_gate on Bits.
template <class Algebra, class Bit>
std::vector<Bit> sum(Algebra& algebra, const std::vector<Bit>& x, const std::vector<Bit>& y) {
  std::vector<Bit> result;
  result.reserve(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) result.push_back(algebra.xor_gate(x[i], y[i]));
  return result;
}

// 2 x in GF(2)[X] / (X^8 + X^4 + X^3 + X + 1), with x = X for 2: FIPS 197, section 4.2.1.
template <class Algebra, class Bit>
std::vector<Bit> doubled(Algebra& algebra, const std::vector<Bit>& x) {
  std::vector<Bit> result;
  result.reserve(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool is_reduced = i == 1 || i == 3 || i == 4;
    const Bit& shifted = x[(i + x.size() - 1) % x.size()];
    result.push_back(is_reduced ? algebra.xor_gate(shifted, x.back()) : shifted);
  }
  return result;
}

// 2 a_r + 3 a_(r+1) + a_(r+2) + a_(r+3), which is 2 b + a_r + s: with b = a_r + a_(r+1) (`pair`)
// and the sum s of the four (`column`).
template <class Algebra, class Bit>
std::vector<Bit> mixed(Algebra& algebra, const std::vector<Bit>& a, const std::vector<Bit>& pair,
                       const std::vector<Bit>& column) {
  return sum(algebra, sum(algebra, doubled(algebra, pair), a), column);
}

}  // namespace fhe::bench
