// SPDX-License-Identifier: Apache-2.0
// Compiled circuits: refused, or read and written with the same contents; those for the suite's own
// keys run, and give what the circuit gives in the clear.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/circuit/program_files.hpp"
#include "libfhe/circuit/run.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "tests/hostile/container_image.hpp"
#include "tests/hostile/target.hpp"
#include "tests/support/circuit_oracle.hpp"

using namespace fhe;
using namespace fhe::hostile;

namespace {

// Larger circuits are read but not run.
constexpr std::size_t kMostGates = 64;
constexpr std::size_t kMostInputs = 16;

void check_written(const CircuitProgram& program, std::span<const std::byte> bytes) {
  const std::vector<std::byte> written = to_bytes(program);
  demand(sections_of(written) == sections_of(bytes), "a program is written with other contents");
  demand(to_bytes(load_program(written)) == written, "written, it is another program");
}

// Run number 2 of the oracle, whose inputs are neither all 0 nor all 1.
bool bit_of_run(fhe::test::Lanes lanes) {
  return (lanes >> 2 & 1) != 0;
}

void run(const CircuitProgram& program) {
  static const KeyPair& keys = hostile_keys().front();
  static const Evaluator evaluator(keys.public_key);
  static const Encryptor encryptor(keys.public_key);
  const Netlist& circuit = program.circuit();
  if (circuit.gates().size() > kMostGates || circuit.input_bits() > kMostInputs) return;
  std::vector<bool> inputs;
  for (const fhe::test::Lanes lanes : fhe::test::lane_inputs(circuit.input_bits())) {
    inputs.push_back(bit_of_run(lanes));
  }
  std::optional<CircuitResult> result;
  const bool ran = accepts({ErrorCode::wrong_key, ErrorCode::noise_exceeded}, [&] {
    result = run_circuit(program, evaluator, encryptor.encrypt(inputs));
  });
  if (!ran) return;
  std::vector<bool> expected;
  for (const fhe::test::Lanes lanes : fhe::test::lane_outputs(circuit)) {
    expected.push_back(bit_of_run(lanes));
  }
  demand(Decryptor(keys.secret_key).decrypt(result->outputs) == expected,
         "a program gives other bits on ciphertexts than in the clear");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ThreadLimit one_thread(1);
  const auto bytes = std::as_bytes(std::span(data, size));
  std::optional<CircuitProgram> program;
  if (accepts({ErrorCode::malformed_file, ErrorCode::wrong_key, ErrorCode::invalid_argument},
              [&] { program = load_program(bytes); })) {
    check_written(*program, bytes);
    if (is_drawn(data, size)) run(*program);
  }
  return 0;
}
