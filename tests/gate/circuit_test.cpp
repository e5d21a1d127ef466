// SPDX-License-Identifier: Apache-2.0
// One random circuit under every small group on every backend: the same ciphertexts, bit for bit,
// and the bits of the plain evaluation.
#include <string>
#include <vector>

#include "libfhe/gate/evaluator.hpp"
#include "tests/catch.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

namespace {

constexpr std::size_t kInputs = 8;

// Gates on wires: the inputs, of which the last is recrypted, and then the result of each gate.
struct Circuit {
  struct Step {
    const NamedGate* gate;
    std::vector<std::size_t> wires;
  };

  Circuit(std::size_t gates, std::uint64_t seed) {
    Operands random(seed);
    const std::vector<NamedGate>& choice = named_gates();
    for (std::size_t i = 0; i < kInputs; ++i) inputs.push_back(random.coin());
    for (std::size_t i = 0; i < gates; ++i) {
      Step step{&choice[random.between(0, choice.size() - 1)], {}};
      // Recent wires, so that the circuit is deep.
      const std::size_t wires = kInputs + i;
      for (unsigned k = 0; k < step.gate->inputs; ++k) {
        step.wires.push_back(random.between(wires - kInputs, wires - 1));
      }
      steps.push_back(std::move(step));
    }
  }

  // All wires, from the given inputs.
  template <class Wires, class Apply>
  [[nodiscard]] Wires run(Wires wires, const Apply& apply) const {
    for (const Step& step : steps) {
      Wires operands;
      for (const std::size_t wire : step.wires) operands.push_back(wires[wire]);
      wires.push_back(apply(*step.gate, operands));
    }
    return wires;
  }

  std::vector<bool> inputs;
  std::vector<Step> steps;
};

std::vector<Ciphertext> evaluate(const Circuit& circuit, const KeyPair& keys,
                                 const BackendPtr& backend) {
  const Encryptor encryptor(keys.public_key, backend, std::make_shared<TestRandom>("circuit"));
  const Evaluator evaluator(keys.public_key, backend);
  std::vector<Ciphertext> inputs = encryptor.encrypt(circuit.inputs);
  inputs.back() = evaluator.recrypt(inputs.back());
  return circuit.run(std::move(inputs),
                     [&](const NamedGate& gate, const std::vector<Ciphertext>& operands) {
                       return gate.apply(evaluator, operands);
                     });
}

// The circuit under a group, on all backends.
void check_group(const std::string& group, std::size_t gates) {
  CAPTURE(group);
  const KeyPair& keys = test_keys(group);
  const Circuit circuit(gates, 11);
  const std::vector<bool> plain =
      circuit.run(circuit.inputs, [](const NamedGate& gate, const std::vector<bool>& operands) {
        return gate.plain(operands);
      });
  const std::vector<Ciphertext> expected = evaluate(circuit, keys, open_backend());
  CHECK(Decryptor(keys.secret_key).decrypt(expected) == plain);
  for (const BackendPtr& backend : backends_under_test()) {
    CAPTURE(backend->info().name, backend->info().description);
    const std::vector<Ciphertext> wires = evaluate(circuit, keys, backend);
    REQUIRE(wires.size() == expected.size());
    std::size_t equal = 0;
    for (std::size_t i = 0; i < wires.size(); ++i) {
      equal += wires[i].value() == expected[i].value() && wires[i].noise() == expected[i].noise();
    }
    CHECK(equal == wires.size());
  }
}

void check_groups_of_size(const std::string& size, std::size_t gates) {
  std::size_t groups = 0;
  for (const std::string& name : ParameterSet::names()) {
    if (!name.ends_with("-" + size) || !ParameterSet::named(name).makes_keys()) continue;
    check_group(name, gates);
    ++groups;
  }
  CHECK(groups > 0);
}

}  // namespace

TEST_CASE("a circuit gives the same ciphertexts under mini groups on every backend", "[gate]") {
  check_groups_of_size("mini", 30);
}

TEST_CASE("a circuit gives the same ciphertexts under toy groups on every backend",
          "[gate][long]") {
  check_groups_of_size("toy", 60);
  check_groups_of_size("512", 8);  // seconds each where products are GMP's
}

}  // namespace fhe::test
