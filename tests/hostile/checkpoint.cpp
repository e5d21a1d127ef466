// SPDX-License-Identifier: Apache-2.0
// Checkpoints: refused, or read, written with the same contents, and gone on from. Each is taken
// for one of the same run: the digests of circuit and inputs are put into it first.
#include "libfhe/circuit/checkpoint.hpp"

#include <filesystem>
#include <vector>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/circuit/run.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "tests/hostile/checkpoint_run.hpp"
#include "tests/hostile/container_image.hpp"
#include "tests/hostile/target.hpp"
#include "tests/support/test_files.hpp"

using namespace fhe;
using namespace fhe::hostile;

namespace {

// With the digests of the run.
std::vector<std::byte> fitted(const std::uint8_t* data, std::size_t size) {
  const RunIdentity& identity = checkpoint_run().identity;
  std::vector<std::byte> digests;
  for (const Digest& digest : {identity.circuit, identity.inputs}) {
    digests.insert(digests.end(), digest.begin(), digest.end());
  }
  return with_first_bytes({data, size}, "run", digests);
}

void check_written(const RunState& state, const std::filesystem::path& path) {
  const CheckpointRun& run = checkpoint_run();
  std::vector<NamedValue> values;
  for (const auto& [name, value] : state) values.push_back({name, &value});
  CheckpointFile(path, run.identity, run.keys.public_key).save(values);
  const RunState again =
      load_checkpoint(path, run.identity, run.netlist.wires(), run.keys.public_key);
  demand(again.size() == state.size(), "written, it is another state");
  for (const auto& [name, value] : state) {
    const auto found = again.find(name);
    demand(found != again.end() && found->second.value() == value.value() &&
               found->second.noise() == value.noise(),
           "written, it is another value");
  }
}

void resume(const std::filesystem::path& path) {
  const CheckpointRun& run = checkpoint_run();
  const Evaluator evaluator(run.keys.public_key);
  const CircuitResult result =
      run_circuit(run.circuit, evaluator, run.inputs, {.checkpoint = path, .resume = true});
  demand(result.outputs.size() == run.circuit.output_bits(), "a run has other outputs");
  for (const Ciphertext& c : result.outputs) {
    demand(c.value() >= 0 && c.value() < run.keys.public_key.modulus(),
           "an output is out of range");
  }
}

constexpr auto kRefusals = {ErrorCode::malformed_file, ErrorCode::wrong_key,
                            ErrorCode::invalid_argument, ErrorCode::noise_exceeded};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fhe::test::TemporaryDirectory folder;
  static const ThreadLimit one_thread(1);
  const CheckpointRun& run = checkpoint_run();
  const std::filesystem::path path = folder / "read.cp";
  fhe::test::write_file(path, fitted(data, size));
  RunState state;
  if (accepts(kRefusals, [&] {
        state = load_checkpoint(path, run.identity, run.netlist.wires(), run.keys.public_key);
      })) {
    check_written(state, folder / "written.cp");
    if (is_drawn(data, size)) accepts(kRefusals, [&] { resume(path); });
  }
  return 0;
}
