// SPDX-License-Identifier: Apache-2.0
// Attacks on the squashed key that is published for recryption.
//
// For a near multiple c = q p + e of p, sum_i s_i (c u_i mod 2^kappa) is small modulo 2^kappa: a
// relation between the secret bits that is worth as many bits as it is small. LLL on kShortened
// samples gives c that are shorter by (k - 1) t bits for noise of t bits more, so that relations
// are worth nearly eta - rho bits whatever kappa is. All functions require samples with a modulus.
#pragma once

#include <cstddef>

#include "apps/attack/finding.hpp"
#include "apps/attack/numbers.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::attack {

// How many relations of so many bits between `length` secret bits leave LLL a vector that stands
// out: at most `most`.
[[nodiscard]] std::size_t relations_needed(std::size_t length, std::size_t bits, std::size_t most);

// Lists all choices in either half of the unknown blocks and looks for two that fit (Chen,
// Nguyen, ePrint 2011/436). Requires at most 2^kMostListBits choices in a half (meeting.hpp).
// Throws Error(invalid_argument) otherwise, Error(stopped).
[[nodiscard]] Finding squashed_key_meet(const Samples& samples, const SquashedNumbers& key,
                                        const Monitor& monitor = {});

// The lattice of (e_i | c_1 u_i, c_2 u_i, ...) modulo 2^P has s as a short vector, or all s_j where
// there are several slots: their leading entries tell them apart. Throws Error(stopped).
inline constexpr std::size_t kShortened = 10;
[[nodiscard]] Finding squashed_key_lattice(const Samples& samples, const SquashedNumbers& key,
                                           const Monitor& monitor = {});

// All keys of the product form. Throws Error(stopped).
[[nodiscard]] Finding product_form_search(const Samples& samples, const ProductFormNumbers& key,
                                          const Monitor& monitor = {});

}  // namespace fhe::attack
