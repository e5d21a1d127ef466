// SPDX-License-Identifier: Apache-2.0
// The fewest wires that stand between some wires of a circuit and others. Not installed.
#pragma once

#include <cstddef>
#include <vector>

#include "libfhe/circuit/netlist.hpp"

namespace fhe {

inline constexpr std::size_t kMostWiresToCut = std::size_t{1} << 28;

// A smallest set of wires such that every way from a wire of `from` to one of `to` goes through one
// of them, its ends included. Ways go from a wire to what the gates make that use it, products
// excepted. `from` and `to` are by wire. Among the smallest sets it is the one nearest to `to`.
//
// By Menger's theorem there are as many ways that share no wire, so no set is smaller. They are
// found as a maximal flow by Dinic's algorithm, where every wire carries at most one unit: a number
// of passes over the circuit that grows with the square root of its size at most. Requires fewer
// than kMostWiresToCut wires; takes about 120 bytes for each.
[[nodiscard]] std::vector<Wire> smallest_cut(const Netlist& netlist, const std::vector<bool>& from,
                                             const std::vector<bool>& to);

}  // namespace fhe
