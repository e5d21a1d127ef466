// Where in a circuit to recrypt, decided before it runs: recryption is what a circuit costs.
//
// A wire is recrypted at most once, and everything that uses it then uses the refreshed value.
// Which wires: the smallest set that a few strategies find such that the noise bound of every wire
// stays within what can be refreshed. The smallest of all sets is a hitting set, which is hard in
// general. But where sums of refreshed ciphertexts can be multiplied and nothing else can, as in
// CNT, it is a smallest cut between what is noisy and what is multiplied, and is found. Elsewhere a
// lower bound says how far away it can be at most.
#pragma once

#include <cstddef>
#include <vector>

#include "libfhe/circuit/netlist.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/keys.hpp"
#include "libfhe/scheme/noise.hpp"

namespace fhe {

// What is known about noise under a key.
struct NoiseModel {
  NoiseRule rule;
  NoiseBound fresh;      // of new encryptions
  NoiseBound refreshed;  // of recrypted ciphertexts

  [[nodiscard]] static NoiseModel of(const BoundKey& key);
};

struct RefreshPlan {
  std::vector<bool> refreshed;      // by wire: whether it is recrypted
  std::size_t recryptions = 0;      // number of those wires
  std::size_t lower_bound = 0;      // no choice of wires has fewer recryptions
  std::size_t gate_by_gate = 0;     // what an Evaluator does by itself, which keeps nothing
  std::vector<NoiseBound> noise{};  // by wire, before its own recryption
};

// The plan for these noise bounds of the input bits. Time grows with the gates and, locally, with
// the square of what hangs on one wire. Throws Error(invalid_argument) for another number of input
// bits, Error(noise_exceeded) when recrypting everything is not enough, Error(stopped).
[[nodiscard]] RefreshPlan plan_refreshes(const Netlist& netlist, const NoiseModel& model,
                                         const std::vector<NoiseBound>& inputs,
                                         const Monitor& monitor = {});

}  // namespace fhe
