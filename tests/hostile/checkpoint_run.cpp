// SPDX-License-Identifier: Apache-2.0
#include "tests/hostile/checkpoint_run.hpp"

#include <memory>

#include "libfhe/arith/registry.hpp"
#include "libfhe/circuit/bristol.hpp"
#include "libfhe/circuit/lower_degree.hpp"
#include "tests/hostile/container_image.hpp"

namespace fhe::hostile {

namespace {

// Two products, one after the other, and a sum.
constexpr const char* kCircuit =
    "4 8\n"
    "1 4\n"
    "1 2\n"
    "\n"
    "2 1 0 1 4 AND\n"
    "2 1 2 3 5 XOR\n"
    "2 1 4 5 6 AND\n"
    "2 1 4 6 7 XOR\n";

CheckpointRun make() {
  const KeyPair& keys = hostile_keys().front();
  const Encryptor encryptor(keys.public_key, open_backend(),
                            std::make_shared<TestRandom>("hostile"));
  const Netlist circuit = parse_bristol(kCircuit, "the circuit");
  const Netlist netlist = with_lower_degree(circuit);
  std::vector<Ciphertext> inputs = encryptor.encrypt({true, false, true, true});
  const RunIdentity identity{netlist.digest(), digest_of(inputs)};
  return {keys, circuit, netlist, std::move(inputs), identity};
}

}  // namespace

const CheckpointRun& checkpoint_run() {
  static const CheckpointRun run = make();
  return run;
}

}  // namespace fhe::hostile
