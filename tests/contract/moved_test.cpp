// SPDX-License-Identifier: Apache-2.0
// Objects that were moved from, and null pointers in place of objects: every use of them throws
// Error(invalid_argument), which says so. None crashes and none gives a value.
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "libfhe/circuit/aiger.hpp"
#include "libfhe/circuit/clocked.hpp"
#include "libfhe/circuit/compute.hpp"
#include "libfhe/circuit/program.hpp"
#include "libfhe/circuit/program_files.hpp"
#include "libfhe/circuit/run.hpp"
#include "libfhe/circuit/word.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "libfhe/scheme/check.hpp"
#include "libfhe/scheme/dghv/modulus_switch.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/noise_meter.hpp"
#include "libfhe/scheme/she/check.hpp"
#include "libfhe/scheme/she/files.hpp"
#include "libfhe/scheme/she/keys.hpp"
#include "libfhe/scheme/she/randomizer.hpp"
#include "libfhe/storage/digest.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_fixtures.hpp"

namespace fhe::test {

namespace {

using Byte = Uint<8>;
using Bytes3 = std::array<Byte, 3>;
using ByteList = std::vector<Byte>;

struct Use {
  std::string name;
  std::function<void()> perform;
};

// An object of which another one has taken what it held.
template <class T>
T moved_from(T object) {
  const T taken = std::move(object);
  return object;  // NOLINT(bugprone-use-after-move): what is tested
}

template <class... Values>
void ignore(const Values&... /*unused*/) {}

KeyPair new_keys() {
  return KeyGenerator(ParameterSet::named("cnt-mini")).generate(TestSeed{"moved"});
}

SecretKey moved_secret_key() {
  return moved_from(new_keys().secret_key);
}

PublicKey moved_public_key() {
  return moved_from(test_keys("cnt-mini").public_key);
}

she::SecretKey slots_key() {
  return she::KeyGenerator(ParameterSet::named("she-mini")).generate(TestSeed{"moved"});
}

she::KeyPair sums_keys() {
  return she::KeyGenerator(tiny_tally().parse()).generate_pair(TestSeed{"moved"});
}

Netlist small_circuit() {
  return traced<Byte, Byte>([](Byte a, Byte b) { return a + b; });
}

// Objects that are whole.
struct Whole {
  const KeyPair& keys = test_keys("cnt-mini");
  Encryptor encryptor{keys.public_key};
  SecretEncryptor owner{keys.secret_key};
  Decryptor decryptor{keys.secret_key};
  Evaluator evaluator{keys.public_key};
  Ciphertext bit = encryptor.encrypt(true);
};

const Whole& whole() {
  static const auto* const objects = new Whole;
  return *objects;
}

void check_refused(const std::vector<Use>& uses, const std::string& reason) {
  for (const Use& use : uses) {
    INFO(use.name);
    CHECK_THROWS_MATCHES(use.perform(), Error, HasCode(ErrorCode::invalid_argument, reason));
  }
}

}  // namespace

TEST_CASE("keys that were moved from are refused wherever they are used") {
  const Whole& w = whole();
  const PublicKey open = moved_public_key();
  const SecretKey secret = moved_secret_key();
  const ParameterSet group = moved_from(ParameterSet::named("cnt-mini"));
  Hasher hasher = moved_from(Hasher());
  std::stringstream out;
  check_refused(
      {{"PublicKey::parameters", [&] { ignore(open.parameters()); }},
       {"PublicKey::id", [&] { ignore(open.id()); }},
       {"PublicKey::modulus", [&] { ignore(open.modulus()); }},
       {"PublicKey::slots", [&] { ignore(open.slots()); }},
       {"PublicKey::material", [&] { ignore(&open.material()); }},
       {"PublicKey, Encryptor", [&] { const Encryptor made(open); }},
       {"PublicKey, Evaluator", [&] { const Evaluator made(open); }},
       {"PublicKey, save", [&] { save(out, open); }},
       {"PublicKey, check_key", [&] { ignore(check_key(open)); }},
       {"PublicKey, expand", [&] { ignore(expand(w.owner.encrypt({true}), open)); }},
       {"SecretKey::parameters", [&] { ignore(secret.parameters()); }},
       {"SecretKey::id", [&] { ignore(secret.id()); }},
       {"SecretKey::slots", [&] { ignore(secret.slots()); }},
       {"SecretKey::material", [&] { ignore(&secret.material()); }},
       {"SecretKey, Decryptor", [&] { const Decryptor made(secret); }},
       {"SecretKey, SecretEncryptor", [&] { const SecretEncryptor made(secret); }},
       {"SecretKey, save", [&] { save(out, secret); }},
       {"SecretKey, check_key", [&] { ignore(check_key(secret)); }},
       {"SecretKey, measure_noise", [&] { ignore(measure_noise(secret, w.bit)); }},
       {"SecretKey, make_rung",
        [&] { ignore(dghv::make_rung(secret, {.eta = 100, .Theta = 10}, open_backend())); }},
       {"Hasher::update", [&] { hasher.update("x"); }},
       {"Hasher::finish", [&] { ignore(hasher.finish()); }},
       {"ParameterSet::name", [&] { ignore(group.name()); }},
       {"ParameterSet::scheme", [&] { ignore(group.scheme()); }},
       {"ParameterSet::fields", [&] { ignore(group.fields()); }},
       {"ParameterSet::number", [&] { ignore(group.number("gamma", 0, 1000000)); }},
       {"ParameterSet::digest", [&] { ignore(group.digest()); }},
       {"ParameterSet::flaw", [&] { ignore(group.flaw()); }},
       {"ParameterSet, KeyGenerator", [&] { const KeyGenerator made(group); }},
       {"ParameterSet, she::KeyGenerator", [&] { const she::KeyGenerator made(group); }}},
      "was moved from");
  CHECK(out.str().empty());
}

TEST_CASE("what works with keys is refused where it was moved from") {
  const Whole& w = whole();
  const auto generator = moved_from(KeyGenerator(ParameterSet::named("cnt-mini")));
  const auto encryptor = moved_from(w.encryptor);
  const auto owner = moved_from(w.owner);
  const auto decryptor = moved_from(w.decryptor);
  const auto evaluator = moved_from(w.evaluator);
  const auto policy = moved_from(RefreshPolicy::callback([](const Ciphertext& c) { return c; }));
  const auto rung =
      dghv::make_rung(test_keys("cnt-toy").secret_key, {.eta = 400, .Theta = 30}, open_backend());
  const auto step = moved_from(rung.switch_key);
  check_refused(
      {{"KeyGenerator", [&] { ignore(generator.generate(TestSeed{"x"}).public_key); }},
       {"Encryptor::encrypt", [&] { ignore(encryptor.encrypt(true)); }},
       {"Encryptor::encrypt_slots", [&] { ignore(encryptor.encrypt_slots(SlotBits{true})); }},
       {"Encryptor::prepare", [&] { encryptor.prepare(); }},
       {"Encryptor::prepare zeros", [&] { encryptor.prepare(5); }},
       {"Encryptor::prepared", [&] { ignore(encryptor.prepared()); }},
       {"SecretEncryptor", [&] { ignore(owner.encrypt({true})); }},
       {"Decryptor::decrypt", [&] { ignore(decryptor.decrypt(w.bit)); }},
       {"Decryptor::decrypt many", [&] { ignore(decryptor.decrypt(std::vector{w.bit})); }},
       {"Decryptor::decrypt_slots", [&] { ignore(decryptor.decrypt_slots(w.bit)); }},
       {"Evaluator::and_gate", [&] { ignore(evaluator.and_gate(w.bit, w.bit)); }},
       {"Evaluator::not_gate", [&] { ignore(evaluator.not_gate(w.bit)); }},
       {"Evaluator::constant", [&] { ignore(evaluator.constant(true)); }},
       {"Evaluator::recrypt", [&] { ignore(evaluator.recrypt(w.bit)); }},
       {"Evaluator::refresh", [&] { ignore(evaluator.refresh({w.bit})); }},
       {"Evaluator::permute",
        [&] { ignore(evaluator.permute(w.bit, SlotPermutation::identity(1))); }},
       {"Evaluator::counts", [&] { ignore(evaluator.counts().gates); }},
       {"Evaluator::noise_rule", [&] { ignore(evaluator.noise_rule()); }},
       {"Evaluator::key", [&] { ignore(&evaluator.key()); }},
       {"Evaluator::public_key", [&] { ignore(evaluator.public_key().id()); }},
       {"Evaluator, run_circuit",
        [&] { ignore(run_circuit(small_circuit(), evaluator, std::vector(16, w.bit)).outputs); }},
       {"Evaluator, compile",
        [&] { ignore(CircuitProgram::compile(small_circuit(), evaluator).keys().scheme); }},
       {"ModulusSwitch::source", [&] { ignore(step.source()); }},
       {"ModulusSwitch::apply", [&] { ignore(step.apply(w.bit, open_backend())); }}},
      "was moved from");
  CHECK_THROWS_MATCHES(Evaluator(w.keys.public_key, open_backend(), policy), Error,
                       HasCode(ErrorCode::invalid_argument, "refresh policy"));
}

TEST_CASE("encrypted values that were moved from are refused, and give no number") {
  const Whole& w = whole();
  const auto bit = moved_from(w.bit);
  const auto shared = moved_from(SharedCiphertext(w.bit));
  const auto compressed = moved_from(w.owner.encrypt({true, false}));
  const auto number = moved_from(encrypt<Byte>(w.encryptor, 13));
  const auto numbers = moved_from(encrypt<Bytes3>(w.encryptor, {1, 2, 3}));
  const auto list = moved_from(encrypt<ByteList>(w.encryptor, {1, 2, 3}));
  const auto flag = moved_from(encrypt<Bool>(w.encryptor, true));
  auto taken = encrypt<Byte>(w.encryptor, 13);
  ignore(std::move(taken).ciphertexts());
  std::stringstream out;
  const auto sum = [](const auto& all) {
    Byte total = 0;
    for (const Byte& one : all) total += one;
    return total;
  };
  check_refused(
      {{"Ciphertext, xor_gate", [&] { ignore(w.evaluator.xor_gate(bit, w.bit)); }},
       {"Ciphertext, xor_gate with itself", [&] { ignore(w.evaluator.xor_gate(bit, bit)); }},
       {"Ciphertext, recrypt", [&] { ignore(w.evaluator.recrypt(bit)); }},
       {"Ciphertext, decrypt", [&] { ignore(w.decryptor.decrypt(bit)); }},
       {"Ciphertext, measure_noise", [&] { ignore(measure_noise(w.keys.secret_key, bit)); }},
       {"Ciphertext, save", [&] { save(out, std::vector{bit}, w.keys.public_key); }},
       {"SharedCiphertext, and_gate",
        [&] { ignore(w.evaluator.and_gate(shared, SharedCiphertext(w.bit))); }},
       {"SharedCiphertext, xor_gate", [&] { ignore(w.evaluator.xor_gate(shared, shared)); }},
       {"SharedCiphertext, not_gate", [&] { ignore(w.evaluator.not_gate(shared)); }},
       {"SharedCiphertext, its ciphertext", [&] { ignore(static_cast<Ciphertext>(shared)); }},
       {"CompressedCiphertexts, expand", [&] { ignore(expand(compressed, w.keys.public_key)); }},
       {"CompressedCiphertexts, save", [&] { save(out, compressed, w.keys.public_key); }},
       {"Encrypted, decrypt", [&] { ignore(decrypt(w.decryptor, number)); }},
       {"Encrypted, after ciphertexts()", [&] { ignore(decrypt(w.decryptor, taken)); }},
       {"Encrypted, ciphertexts() once more", [&] { ignore(std::move(taken).ciphertexts()); }},
       {"Encrypted, compute",
        [&] {
          ignore(compute(
              w.evaluator, [](Byte a) { return a + 1; }, number));
        }},
       {"Encrypted array, decrypt", [&] { ignore(decrypt(w.decryptor, numbers)); }},
       {"Encrypted array, compute", [&] { ignore(compute(w.evaluator, sum, numbers)); }},
       {"Encrypted vector, decrypt", [&] { ignore(decrypt(w.decryptor, list)); }},
       {"Encrypted vector, compute", [&] { ignore(compute(w.evaluator, sum, list)); }},
       {"Encrypted Bool, decrypt", [&] { ignore(decrypt(w.decryptor, flag)); }},
       {"a Uint in a function",
        [] {
          ignore(traced<Byte>([](Byte a) {
            const Byte b = std::move(a);
            return a + b;  // NOLINT(bugprone-use-after-move)
          }));
        }}},
      "was moved from");
  CHECK(out.str().empty());
}

TEST_CASE("circuits that were moved from are refused") {
  const Whole& w = whole();
  const auto circuit = moved_from(small_circuit());
  const auto clocked = moved_from(ClockedCircuit(small_circuit()));
  const auto program = moved_from(CircuitProgram::compile(small_circuit(), w.evaluator));
  const std::vector<Ciphertext> inputs(16, w.bit);
  const PlainBits plain;
  check_refused(
      {{"Netlist::inputs", [&] { ignore(circuit.inputs().size()); }},
       {"Netlist::gates", [&] { ignore(circuit.gates().size()); }},
       {"Netlist::outputs", [&] { ignore(circuit.outputs().size()); }},
       {"Netlist::wires", [&] { ignore(circuit.wires()); }},
       {"Netlist::input_bits", [&] { ignore(circuit.input_bits()); }},
       {"Netlist::output_bits", [&] { ignore(circuit.output_bits()); }},
       {"Netlist::output_wires", [&] { ignore(circuit.output_wires()); }},
       {"Netlist::digest", [&] { ignore(circuit.digest()); }},
       {"Netlist, costs", [&] { ignore(costs(circuit).depth); }},
       {"Netlist, evaluate", [&] { ignore(evaluate(circuit, plain, {})); }},
       {"Netlist, compile",
        [&] { ignore(CircuitProgram::compile(circuit, w.evaluator).keys().scheme); }},
       {"Netlist, run_circuit", [&] { ignore(run_circuit(circuit, w.evaluator, inputs).outputs); }},
       {"ClockedCircuit::registers", [&] { ignore(clocked.registers()); }},
       {"ClockedCircuit::inputs", [&] { ignore(clocked.inputs().size()); }},
       {"ClockedCircuit::digest", [&] { ignore(clocked.digest()); }},
       {"CircuitProgram::circuit", [&] { ignore(program.circuit().wires()); }},
       {"CircuitProgram::keys", [&] { ignore(program.keys().scheme); }},
       {"CircuitProgram::inputs", [&] { ignore(program.inputs().size()); }},
       {"CircuitProgram::plan", [&] { ignore(program.plan().recryptions); }},
       {"CircuitProgram::tasks", [&] { ignore(program.tasks().tasks().size()); }},
       {"CircuitProgram::require_runs_under", [&] { program.require_runs_under(w.evaluator); }},
       {"CircuitProgram, to_bytes", [&] { ignore(to_bytes(program)); }},
       {"CircuitProgram, run_circuit",
        [&] { ignore(run_circuit(program, w.evaluator, inputs).outputs); }}},
      "was moved from");
}

TEST_CASE("what belongs to numbers in slots is refused where it was moved from") {
  const ParameterSet group = ParameterSet::named("she-mini");
  const she::SecretKey key = slots_key();
  const she::KeyPair sums = sums_keys();
  const she::Encryptor whole_encryptor(key);
  const she::Decryptor whole_decryptor(key);
  const she::Arithmetic whole_arithmetic(group);
  const she::Slots x = whole_encryptor.encrypt({1, 2});
  const std::vector<she::Slots> zeros = whole_encryptor.encrypt_all(
      std::vector<she::SlotNumbers>(she::zeros_needed(group, she::Hiding::estimated)));

  const auto secret = moved_from(slots_key());
  const auto open = moved_from(sums.public_key);
  const auto generator = moved_from(she::KeyGenerator(group));
  const auto encryptor = moved_from(whole_encryptor);
  const auto public_encryptor = moved_from(she::PublicEncryptor(sums.public_key));
  const auto decryptor = moved_from(whole_decryptor);
  const auto arithmetic = moved_from(whole_arithmetic);
  const auto randomizer = moved_from(she::Randomizer(group, zeros));
  const auto slots = moved_from(x);
  const auto compressed = moved_from(whole_encryptor.encrypt_compressed({{1}}));
  std::stringstream out;
  check_refused(
      {{"SecretKey::group", [&] { ignore(secret.group()); }},
       {"SecretKey::id", [&] { ignore(secret.id()); }},
       {"SecretKey, Encryptor", [&] { const she::Encryptor made(secret); }},
       {"SecretKey, Decryptor", [&] { const she::Decryptor made(secret); }},
       {"SecretKey, to_bytes", [&] { ignore(she::to_bytes(secret)); }},
       {"SecretKey, check_key", [&] { ignore(she::check_key(secret)); }},
       {"SecretKey, measure_noise", [&] { ignore(she::measure_noise(secret, x)); }},
       {"PublicKey::group", [&] { ignore(open.group()); }},
       {"PublicKey::id", [&] { ignore(open.id()); }},
       {"PublicKey, to_bytes", [&] { ignore(she::to_bytes(open)); }},
       {"PublicKey, PublicEncryptor", [&] { const she::PublicEncryptor made(open); }},
       {"KeyGenerator", [&] { ignore(generator.generate(TestSeed{"x"}).id()); }},
       {"Encryptor::encrypt", [&] { ignore(encryptor.encrypt({1})); }},
       {"Encryptor::encrypt_compressed", [&] { ignore(encryptor.encrypt_compressed({{1}})); }},
       {"PublicEncryptor::encrypt", [&] { ignore(public_encryptor.encrypt(1)); }},
       {"Decryptor::decrypt", [&] { ignore(decryptor.decrypt(x)); }},
       {"Arithmetic::add", [&] { ignore(arithmetic.add(x, x)); }},
       {"Arithmetic::multiply", [&] { ignore(arithmetic.multiply(x, x)); }},
       {"Arithmetic::sum", [&] { ignore(arithmetic.sum({x})); }},
       {"Arithmetic::inner_sum", [&] { ignore(arithmetic.inner_sum({x}, {x})); }},
       {"Randomizer::randomize", [&] { ignore(randomizer.randomize(x)); }},
       {"Slots, add", [&] { ignore(whole_arithmetic.add(slots, x)); }},
       {"Slots, add to itself", [&] { ignore(whole_arithmetic.add(slots, slots)); }},
       {"Slots, negate", [&] { ignore(whole_arithmetic.negate(slots)); }},
       {"Slots, decrypt", [&] { ignore(whole_decryptor.decrypt(slots)); }},
       {"Slots, save", [&] { she::save(out, std::vector{slots}, group); }},
       {"CompressedSlots, expand", [&] { ignore(compressed.expand(group)); }},
       {"CompressedSlots, save", [&] { she::save(out, compressed, group); }}},
      "was moved from");
  CHECK(out.str().empty());
}

TEST_CASE("an object that was moved from holds what is assigned to it") {
  const Whole& w = whole();
  PublicKey key = moved_public_key();
  key = w.keys.public_key;
  CHECK(key.id() == w.keys.public_key.id());
  Evaluator evaluator = moved_from(w.evaluator);
  evaluator = w.evaluator;
  CHECK(w.decryptor.decrypt(evaluator.and_gate(w.bit, w.bit)));
  Encrypted<Byte> number = moved_from(encrypt<Byte>(w.encryptor, 13));
  number = encrypt<Byte>(w.encryptor, 14);
  CHECK(decrypt(w.decryptor, number) == 14);
  Encrypted<Byte> copy = moved_from(number);
  const Encrypted<Byte> other = number;
  copy = other;
  CHECK(decrypt(w.decryptor, copy) == 14);
}

TEST_CASE("a null pointer is no backend and no source of randomness") {
  const Whole& w = whole();
  const she::SecretKey slots = slots_key();
  const she::KeyPair sums = sums_keys();
  const ParameterSet group = ParameterSet::named("cnt-mini");
  const ParameterSet slots_group = ParameterSet::named("she-mini");
  const std::vector<she::Slots> zeros = she::Encryptor(slots).encrypt_all(
      std::vector<she::SlotNumbers>(she::zeros_needed(slots_group, she::Hiding::estimated)));
  const BackendPtr none;
  const std::shared_ptr<SecretRandom> still;
  const auto rung =
      dghv::make_rung(test_keys("cnt-toy").secret_key, {.eta = 400, .Theta = 30}, open_backend());
  check_refused(
      {{"KeyGenerator", [&] { const KeyGenerator made(group, none); }},
       {"Encryptor", [&] { const Encryptor made(w.keys.public_key, none); }},
       {"SecretEncryptor", [&] { const SecretEncryptor made(w.keys.secret_key, none); }},
       {"Decryptor", [&] { const Decryptor made(w.keys.secret_key, none); }},
       {"Evaluator", [&] { const Evaluator made(w.keys.public_key, none); }},
       {"PublicKey::context", [&] { ignore(w.keys.public_key.context(none)); }},
       {"check_key", [&] { ignore(check_key(w.keys.public_key, none)); }},
       {"check_key_pair",
        [&] { ignore(check_key_pair(w.keys.public_key, w.keys.secret_key, none)); }},
       {"ModulusSwitch::apply", [&] { ignore(rung.switch_key.apply(w.bit, none)); }},
       {"make_rung",
        [&] { ignore(dghv::make_rung(w.keys.secret_key, {.eta = 100, .Theta = 10}, none)); }},
       {"she::KeyGenerator", [&] { const she::KeyGenerator made(slots_group, none); }},
       {"she::PublicEncryptor", [&] { const she::PublicEncryptor made(sums.public_key, none); }},
       {"she::Arithmetic", [&] { const she::Arithmetic made(slots_group, none); }},
       {"she::check_key", [&] { ignore(she::check_key(sums.public_key, none)); }},
       {"she::check_key_pair",
        [&] { ignore(she::check_key_pair(sums.public_key, sums.secret_key, none)); }}},
      "the backend is a null pointer");
  check_refused(
      {{"Encryptor", [&] { const Encryptor made(w.keys.public_key, open_backend(), still); }},
       {"SecretEncryptor",
        [&] { const SecretEncryptor made(w.keys.secret_key, open_backend(), still); }},
       {"she::Encryptor", [&] { const she::Encryptor made(slots, still); }},
       {"she::PublicEncryptor",
        [&] { const she::PublicEncryptor made(sums.public_key, open_backend(), still); }},
       {"she::Randomizer",
        [&] { const she::Randomizer made(slots_group, zeros, she::kZeroWeightBits, still); }}},
      "the source of randomness is a null pointer");
}

}  // namespace fhe::test
