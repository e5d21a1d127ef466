// SPDX-License-Identifier: Apache-2.0
// The worker's side of a job: see worker.hpp.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>

#include "apps/outsource/server/worker.hpp"
#include "apps/support/failure.hpp"
#include "apps/support/interrupt.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/circuit/netlist_files.hpp"
#include "libfhe/circuit/run.hpp"
#include "libfhe/scheme/files.hpp"

namespace fhe::outsource {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kInterval(100);

// Tells the server how far the circuit is, ten times a second at most.
class Reporter {
 public:
  void operator()(std::string_view phase, double fraction) {
    if (phase != "circuit" || Clock::now() - said_at_ < kInterval) return;
    said_at_ = Clock::now();
    say({{"fraction", fraction}});
  }

 private:
  Clock::time_point said_at_;
};

std::vector<Ciphertext> load_inputs(const Work& work, const PublicKey& key) {
  std::vector<Ciphertext> inputs;
  for (const std::filesystem::path& path : work.inputs) {
    std::ranges::move(load_ciphertexts(path, key), std::back_inserter(inputs));
  }
  return inputs;
}

CircuitRunOptions run_options(const Work& work) {
  CircuitRunOptions options;
  if (work.memory_mib > 0) options.max_memory_bytes = work.memory_mib << 20;
  options.checkpoint = work.checkpoint;
  options.checkpoint_interval = std::chrono::seconds(work.save_seconds);
  options.resume = std::filesystem::is_regular_file(work.checkpoint);
  options.checkpoint_failed = [said = false](const Error& error) mutable {
    if (!said) say({{"checkpoint_failed", apps::one_line(error.what())}});
    said = true;
  };
  return options;
}

// Whether an error can be that of a checkpoint which is damaged, or another run's. Those of a run
// are of other kinds, or come again without the checkpoint.
bool may_be_refused_checkpoint(ErrorCode code) {
  return code == ErrorCode::malformed_file || code == ErrorCode::wrong_key ||
         code == ErrorCode::invalid_argument || code == ErrorCode::noise_exceeded;
}

// Out of the way of the next one, for people to look at.
void put_aside(const std::filesystem::path& checkpoint) {
  std::filesystem::rename(checkpoint, checkpoint.parent_path() / "refused-checkpoint.fhe");
}

// What is in a checkpoint can be computed again: where it is of no use, the circuit is run without.
CircuitResult run_from_checkpoint(const Work& work, const Netlist& netlist,
                                  const Evaluator& evaluator, const std::vector<Ciphertext>& inputs,
                                  const Monitor& monitor) {
  CircuitRunOptions options = run_options(work);
  try {
    return run_circuit(netlist, evaluator, inputs, options, monitor);
  } catch (const Error& error) {
    if (!options.resume || !may_be_refused_checkpoint(error.code())) throw;
    say({{"checkpoint_refused", apps::one_line(error.what())}});
  }
  put_aside(work.checkpoint);
  options.resume = false;
  return run_circuit(netlist, evaluator, inputs, options, monitor);
}

void run(const Work& work, const Monitor& monitor) {
  const ThreadLimit threads(work.threads);
  const Netlist netlist = load_netlist(work.circuit);
  const PublicKey key = load_public_key(work.key);
  const std::vector<Ciphertext> inputs = load_inputs(work, key);
  const Evaluator evaluator(key, open_backend(work.backend));
  const CircuitResult result = run_from_checkpoint(work, netlist, evaluator, inputs, monitor);
  save(work.result, result.outputs, key);
  say({{"products", evaluator.counts().products}, {"recryptions", result.recryptions}});
}

}  // namespace

int do_work(const Work& work) {
  const apps::InterruptWatch interrupts;
  Reporter reporter;
  return do_task(work.limits,
                 [&] { run(work, {.stop = interrupts.token(), .progress = std::ref(reporter)}); });
}

}  // namespace fhe::outsource
