// SPDX-License-Identifier: Apache-2.0
// Attacks on the squashed key of an ideal: the sparse subset of its elements that sums to the
// secret w.
//
// w is short: |w| / d is at most 2^-inverse_bits, and so is |w r^j mod d| / d for every j, since
// these are the coefficients of the inverse of one polynomial. So the chosen elements, and r^j
// times them, sum to nearly 0 modulo d: relations worth hundreds of bits.
#pragma once

#include "apps/attack/finding.hpp"
#include "apps/attack/numbers.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::attack {

// w, if this is it up to its sign: odd and short, and short when multiplied by r. Chance passes
// once in 2^(2 inverse_bits).
[[nodiscard]] bool is_inverse(const Integer& w, const IdealNumbers& key);

// Lists all choices in either half of the blocks and looks for two that sum to nearly 0 (Gentry,
// Halevi, Eurocrypt 2011; Chen, Nguyen, ePrint 2011/436). Requires a squashed key, and
// at most 2^kMostListBits choices in a half (meeting.hpp). Throws Error(invalid_argument)
// otherwise, Error(stopped).
[[nodiscard]] Finding sparse_subset_meet(const IdealNumbers& key, const Monitor& monitor = {});

// The lattice of (e_i | r^0 y_i, r^1 y_i, ...) modulo 2^inverse_bits, y_i the elements as fractions
// of d, has the choice as a short vector. Requires a squashed key. Throws Error(stopped).
[[nodiscard]] Finding sparse_subset_lattice(const IdealNumbers& key, const Monitor& monitor = {});

}  // namespace fhe::attack
