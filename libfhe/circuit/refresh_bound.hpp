// SPDX-License-Identifier: Apache-2.0
// How few recryptions a circuit can do with, whichever wires are chosen. Not installed.
//
// Wherever the noise of everything else is as little as it can be, an AND whose operand holds a
// noisy wire unrefreshed may still exceed the limit. From that follow two bounds, and the larger
// one counts:
//
// - Cuts. Every way from the noisy wires to such operands, over sums, is cut by a refreshed wire,
//   so there are as many as in a smallest cut (smallest_cut). Where sums of refreshed
//   ciphertexts can be multiplied, as in CNT, the cut is a plan, so no plan is better; unless sums
//   become so long that their noise alone exceeds the limit, which needs recryptions beside it.
// - Sets. Of a chain of wires that ends in an operand, or of both operands, one at least is
//   refreshed, and of both terms of a sum that would exceed the limit: as many sets that share no
//   wire, as many recryptions.
#pragma once

#include <cstddef>
#include <vector>

#include "libfhe/circuit/netlist.hpp"
#include "libfhe/circuit/refresh_plan.hpp"
#include "libfhe/scheme/noise.hpp"

namespace fhe {

struct RefreshBound {
  std::size_t recryptions = 0;  // no choice of wires has fewer
  std::vector<Wire> cut;        // the largest of the smallest cuts: what to refresh first
};

// For a circuit of any gates, of which only ANDs and XORs are looked at. `inputs` are the noise
// bounds of its input bits, as many as it has.
[[nodiscard]] RefreshBound bound_refreshes(const Netlist& netlist, const NoiseModel& model,
                                           const std::vector<NoiseBound>& inputs);

// The fewest wires that stand between some wires of a circuit and others.

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
