// SPDX-License-Identifier: Apache-2.0
// The interrupted run whose checkpoints the target reads.
#pragma once

#include <vector>

#include "libfhe/circuit/checkpoint.hpp"
#include "libfhe/circuit/netlist.hpp"
#include "libfhe/scheme/keys.hpp"

namespace fhe::hostile {

struct CheckpointRun {
  const KeyPair& keys;
  Netlist circuit;
  Netlist netlist;  // that runs: the circuit with lower degree
  std::vector<Ciphertext> inputs;
  RunIdentity identity;
};

// Made when first asked for, the same in every process.
[[nodiscard]] const CheckpointRun& checkpoint_run();

}  // namespace fhe::hostile
