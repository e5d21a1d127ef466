// SPDX-License-Identifier: Apache-2.0
// Example 7: a circuit from a file, planned before it runs, watched while it runs.
//
// Files are BLIF (from Yosys, say) or Bristol Fashion. Recryption is what a circuit costs, and a
// plan of the whole circuit needs fewer of them than gates that each care for themselves.
#include <cstdint>
#include <iostream>
#include <stop_token>
#include <string_view>
#include <vector>

#include "shared.hpp"
#include <libfhe/fhe.hpp>

using fhe::bits_of;
using fhe::number_of;
using fhe::examples::check;

namespace {

// The bits of the two input words of four bits each, in the order of the circuit.
std::vector<bool> inputs(std::uint64_t x, std::uint64_t y) {
  return bits_of(x | y << 4, 8);
}

}  // namespace

int main() {
  const fhe::Netlist netlist = fhe::load_netlist(EXAMPLE_CIRCUIT);
  const fhe::NetlistCosts cost = fhe::costs(netlist);
  std::cout << "larger.blif: " << netlist.gates().size() << " gates, " << cost.products
            << " of them products, up to " << cost.and_depth << " in a row\n";

  // In the clear first: the oracle for the encrypted run.
  const fhe::PlainBits plain;
  check(number_of(evaluate(netlist, plain, inputs(6, 11))) == 11, "the larger of 6 and 11 is 11");

  // The plan says where to recrypt, knowing nothing but noise bounds: those of the inputs, and
  // what the key's rule makes of them.
  const fhe::KeyPair keys = fhe::KeyGenerator(fhe::ParameterSet::named("cnt-toy")).generate();
  const fhe::Evaluator evaluator(keys.public_key);
  const fhe::NoiseModel model = fhe::NoiseModel::of(evaluator.key());
  const fhe::RefreshPlan plan =
      plan_refreshes(netlist, model, std::vector(netlist.input_bits(), model.fresh));
  std::cout << "planned: " << plan.recryptions << " recryptions; no plan has fewer than "
            << plan.lower_bound << "; gate by gate it would be " << plan.gate_by_gate << '\n';
  check(plan.recryptions <= plan.gate_by_gate, "the plan is no worse than gate by gate");

  // A Monitor reports how far a call is, and can stop it from any thread.
  double done = 0;
  fhe::Monitor monitor;
  monitor.progress = [&](std::string_view phase, double fraction) {
    if (fraction >= done + 0.25 || fraction >= 1) {
      std::cout << "  " << phase << ": " << static_cast<int>(100 * fraction) << " %\n";
      done = fraction;
    }
  };
  const auto encrypted = fhe::Encryptor(keys.public_key).encrypt(inputs(13, 9));
  const fhe::CircuitResult result = run_circuit(netlist, evaluator, encrypted, {}, monitor);

  check(done == 1, "progress was reported to the end");
  check(result.recryptions == plan.recryptions, "the run recrypted what was planned");
  const std::vector<bool> bits = fhe::Decryptor(keys.secret_key).decrypt(result.outputs);
  check(bits == evaluate(netlist, plain, inputs(13, 9)), "the bits are those of the plain circuit");
  check(number_of(bits) == 13, "the larger of 13 and 9 is 13");

  std::stop_source source;
  source.request_stop();
  monitor.stop = source.get_token();
  fhe::examples::check_refused(fhe::ErrorCode::stopped, "a stopped run ends with an error", [&] {
    return run_circuit(netlist, evaluator, encrypted, {}, monitor);
  });
}
