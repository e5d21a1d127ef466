// SPDX-License-Identifier: Apache-2.0
// Where in a circuit to recrypt, decided before it runs: recryption is what a circuit costs.
//
// A wire is recrypted at most once, and everything that uses it then uses the refreshed value. The
// wires are the smallest set, among those that a few strategies find, with which the noise bound of
// every wire stays within what can be refreshed. To find the smallest set of all is a hitting set
// problem, which is hard in general. But where sums of refreshed ciphertexts can be multiplied and
// nothing else can, as in CNT, and where these sums stay short, it is a minimum cut between what is
// noisy and what is multiplied, and is found. A lower bound says how far from it a plan can be at
// most: where it is equal to the plan, no plan has fewer recryptions; otherwise none is known.
#pragma once

#include <cstddef>
#include <vector>

#include "libfhe/circuit/netlist.hpp"
#include "libfhe/export.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/keys.hpp"
#include "libfhe/scheme/noise.hpp"

namespace fhe {

// What is known about noise under a key.
struct FHE_EXPORT NoiseModel {
  NoiseRule rule;        // the limits, and how noise grows
  NoiseBound fresh;      // of new encryptions
  NoiseBound refreshed;  // of recrypted ciphertexts

  // What a key says about itself.
  [[nodiscard]] static NoiseModel of(const KeyContext& key);

  friend bool operator==(const NoiseModel&, const NoiseModel&) = default;
};

// Which wires to recrypt, and what is known about it.
struct FHE_EXPORT RefreshPlan {
  std::vector<bool> refreshed;      // by wire: whether it is recrypted
  std::size_t recryptions = 0;      // number of those wires
  std::size_t lower_bound = 0;      // no choice of wires has fewer recryptions
  std::size_t gate_by_gate = 0;     // what an Evaluator does by itself: it keeps no refreshed value
  std::vector<NoiseBound> noise{};  // by wire, before its own recryption
};

// The plan for input bits with these noise bounds. The time grows with the number of gates and,
// locally, with the square of what depends on one wire. Throws Error(invalid_argument) for a wrong
// number of input bits, Error(noise_exceeded) when recrypting everything is not enough,
// Error(stopped).
[[nodiscard]] FHE_EXPORT RefreshPlan plan_refreshes(const Netlist& netlist, const NoiseModel& model,
                                                    const std::vector<NoiseBound>& inputs,
                                                    const Monitor& monitor = {});

// The noise of every wire, before its own recryption, for input bits with these bounds when the
// wires of `refreshed` are recrypted. Throws Error(invalid_argument) for a wrong number of input
// bits or wires, Error(noise_exceeded) where a wire has more noise than can be refreshed.
[[nodiscard]] FHE_EXPORT std::vector<NoiseBound> noise_of_wires(
    const Netlist& netlist, const NoiseModel& model, const std::vector<NoiseBound>& inputs,
    const std::vector<bool>& refreshed);

}  // namespace fhe
