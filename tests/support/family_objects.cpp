// SPDX-License-Identifier: Apache-2.0
#include "tests/support/family_objects.hpp"

#include <algorithm>
#include <memory>
#include <string_view>

#include "libfhe/circuit/checkpoint.hpp"
#include "libfhe/circuit/program_files.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "libfhe/scheme/dghv/modulus_switch_files.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/she/files.hpp"
#include "libfhe/scheme/sizes.hpp"
#include "tests/catch.hpp"
#include "tests/support/key_fixtures.hpp"

namespace fhe::test {

namespace {

constexpr ScryptCost kCheap{.log_n = 4};

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// One name of a list with commas.
bool holds_one_of(std::string_view text, std::string_view list) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(", "), list.size());
    if (holds(text, list.substr(0, end))) return true;
    list.remove_prefix(std::min(end + 2, list.size()));
  }
  return false;
}

const Takers& takers_of(const FamilyObject& object) {
  const auto family = std::ranges::find(families(), object.family, &Family::purpose);
  REQUIRE(family != families().end());
  const auto use = std::ranges::find(family->objects, object.header.kind, &ObjectUse::kind);
  REQUIRE(use != family->objects.end());
  return use->takers;
}

}  // namespace

Netlist small_circuit() {
  return {{{"in0", 1}, {"in1", 1}}, {{GateKind::and_gate, {0, 1}}}, {{"out0", {2}}}};
}

FamilyObjects::FamilyObjects(const std::filesystem::path& folder) : folder_(folder) {
  for (const std::string group : {"cnt-mini", "cmnt-mini", "bdghv-mini", "gh-mini"}) {
    add_bits(group);
  }
  add_numbers();
  add_tally();
  add_runs();
  add_rung();
}

void FamilyObjects::listed(const std::string& file, bool compressed) {
  const ObjectHeader header = ContainerReader(path(file)).header();
  const bool numbers = header.scheme == "she";
  objects_.push_back(
      {file, header, numbers ? GroupPurpose::slots : GroupPurpose::scheme, compressed});
}

void FamilyObjects::add_bits(const std::string& group) {
  const KeyPair& keys = test_keys(group);
  save(path(group + ".public.fhe"), path(group + ".secret.fhe"), keys);
  listed(group + ".public.fhe");
  listed(group + ".secret.fhe");
  save(path(group + ".bits.fhe"), {test_encryptor(keys).encrypt(true)}, keys.public_key);
  listed(group + ".bits.fhe");
  if (!sizes_of(keys.public_key.parameters())->compressed_bits) return;
  const SecretEncryptor owner(keys.secret_key, open_backend(),
                              std::make_shared<TestRandom>("owner"));
  save(path(group + ".compressed.fhe"), owner.encrypt({true}), keys.secret_key);
  listed(group + ".compressed.fhe", true);
}

void FamilyObjects::add_numbers() {
  const auto key = she::KeyGenerator(ParameterSet::named("she-mini")).generate(TestSeed{"family"});
  const she::Encryptor encryptor(key, std::make_shared<TestRandom>("family"));
  she::save(path("she-mini.secret.fhe"), key);
  listed("she-mini.secret.fhe");
  const Passphrase passphrase(kFamilyPassphrase);
  she::save(path("she-mini.sealed.fhe"), key, PassphraseLock{passphrase, kCheap});
  listed("she-mini.sealed.fhe");
  she::save(path("she-mini.numbers.fhe"), encryptor.encrypt_all({{1}}), key.group());
  listed("she-mini.numbers.fhe");
  she::save(path("she-mini.compressed.fhe"), encryptor.encrypt_compressed({{1}}), key.group());
  listed("she-mini.compressed.fhe", true);
}

void FamilyObjects::add_tally() {
  const auto keys = she::KeyGenerator(tiny_tally().parse()).generate_pair(TestSeed{"family"});
  she::save(path("tally.public.fhe"), path("tally.secret.fhe"), keys);
  listed("tally.public.fhe");
  listed("tally.secret.fhe");
  const she::PublicEncryptor voter(keys.public_key, open_backend(),
                                   std::make_shared<TestRandom>("family"));
  she::save(path("tally.numbers.fhe"), voter.encrypt_all({1}), keys.public_key.group());
  listed("tally.numbers.fhe");
}

void FamilyObjects::add_runs() {
  const KeyPair& keys = test_keys("cnt-mini");
  const Passphrase passphrase(kFamilyPassphrase);
  save(path("cnt-mini.sealed.fhe"), keys.secret_key, PassphraseLock{passphrase, kCheap});
  listed("cnt-mini.sealed.fhe");
  const Evaluator evaluator(keys.public_key);
  const Netlist circuit = small_circuit();
  // As in the file of bits, for both inputs.
  const std::vector<Ciphertext> inputs(2, test_encryptor(keys).encrypt(true));
  save(path("cnt-mini.program.fhe"),
       CircuitProgram::compile(circuit, evaluator, noise_bounds(inputs)));
  listed("cnt-mini.program.fhe");
  CheckpointFile(path("cnt-mini.checkpoint.fhe"), {circuit.digest(), digest_of(inputs)},
                 keys.public_key)
      .save({{{0, false}, &inputs.front()}});
  listed("cnt-mini.checkpoint.fhe");
  save_clocked_checkpoint(path("cnt-mini.cycles.fhe"), {.cycles = 2}, {1, {inputs.front()}},
                          keys.public_key, {});
  listed("cnt-mini.cycles.fhe");
}

void FamilyObjects::add_rung() {
  const KeyPair& keys = test_keys("cnt-mini");
  const auto rung = dghv::make_rung(keys.secret_key, {.eta = 400, .Theta = 30}, open_backend());
  save(path("rung.public.fhe"), rung.public_key);
  listed("rung.public.fhe");
  dghv::save(path("rung.switch.fhe"), rung.switch_key, keys.public_key);
  listed("rung.switch.fhe");
}

bool names_object(const std::string& message, const FamilyObject& object) {
  for (const char* const wrong : {"damaged", "NOT SOUND", "benchmarks"}) {
    CHECK_FALSE(holds(message, wrong));
  }
  const Takers& takers = takers_of(object);
  return holds(message, object_text(object.header)) &&
         (holds_one_of(message, takers.commands) || holds_one_of(message, takers.functions));
}

}  // namespace fhe::test
