// SPDX-License-Identifier: Apache-2.0
// Circuits with registers: in every format the same, against what the design says, on plain bits
// and on ciphertexts, in one go and resumed.
#include "libfhe/circuit/clocked.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <random>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "libfhe/circuit/checkpoint.hpp"
#include "libfhe/circuit/netlist_files.hpp"
#include "libfhe/circuit/run_clocked.hpp"
#include "tests/catch.hpp"
#include "tests/support/circuits.hpp"
#include "tests/support/clocked_circuits.hpp"
#include "tests/support/container_draft.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

namespace {

using Values = std::vector<std::pair<std::string, unsigned>>;

// A design as its Verilog says: the outputs of a cycle as one number, the first port lowest.
using Design = std::function<unsigned(const Values& inputs)>;

unsigned value_of(const Values& values, const std::string& name) {
  for (const auto& [found, value] : values) {
    if (found == name) return value;
  }
  return 0;
}

Design counter() {
  return [value = 5U](const Values& inputs) mutable {
    const unsigned shown = value | (value == 0 ? 16U : 0U);
    if (value_of(inputs, "enable") != 0) value = (value + value_of(inputs, "step")) % 16;
    return shown;
  };
}

Design lfsr() {
  return [state = 1U](const Values& /*inputs*/) mutable {
    return std::exchange(state, (state << 1 & 31U) | ((state >> 4 ^ state >> 2) & 1U));
  };
}

Design serial_adder() {
  return [carry = 0U](const Values& inputs) mutable {
    const unsigned kept = value_of(inputs, "start") != 0 ? 0 : carry;
    const unsigned sum = value_of(inputs, "a") + value_of(inputs, "b") + kept;
    carry = sum / 2;
    return sum % 2;
  };
}

Design lock() {
  return [state = 0U](const Values& inputs) mutable {
    const unsigned digit = value_of(inputs, "digit");
    const unsigned shown = state == 3 ? 1 : 0;
    constexpr std::array<unsigned, 3> kRight{3, 1, 2};
    if (value_of(inputs, "reset") != 0) {
      state = 0;
    } else if (state < 3) {
      state = digit == kRight.at(state) ? state + 1 : (digit == 3 ? 1 : 0);
    }
    return shown;
  };
}

// Inputs of some cycles, and what the design gives for them. The first cycle resets.
struct Story {
  std::vector<Values> inputs;
  std::vector<unsigned> outputs;
};

Story story_of(Design design, std::size_t cycles) {
  std::mt19937 random(3);
  Story story;
  for (std::size_t cycle = 0; cycle < cycles; ++cycle) {
    // Right digits are as likely as all others together.
    constexpr std::array<unsigned, 3> kRight{3, 1, 2};
    const unsigned digit = random() % 2 == 0 ? kRight.at(cycle % 3) : random() % 4;
    story.inputs.push_back({{"enable", random() % 4 != 0 ? 1 : 0},
                            {"step", random() % 8},
                            {"start", cycle % 5 == 0 ? 1 : 0},
                            {"reset", cycle % 13 == 0 ? 1 : 0},
                            {"a", random() % 2},
                            {"b", random() % 2},
                            {"digit", digit}});
    story.outputs.push_back(design(story.inputs.back()));
  }
  return story;
}

std::vector<std::pair<std::string, std::function<Design()>>> designs() {
  return {{"counter", counter}, {"lfsr", lfsr}, {"serial_adder", serial_adder}, {"lock", lock}};
}

// Two inputs bits a, b and one register s: y = a ^ s, and s takes a b.
ClockedCircuit small_circuit(bool initial) {
  NetlistBuilder builder;
  const auto ab = builder.input("ab", 2);
  const auto s = builder.input("s", 1);
  builder.output("y", {builder.xor_gate(ab[0], s[0])});
  builder.output("next", {builder.and_gate(ab[0], ab[1])});
  return {builder.build(), {initial}};
}

std::vector<bool> random_bits(std::size_t count) {
  std::mt19937 random(static_cast<std::uint32_t>(count));
  std::vector<bool> bits(count);
  for (std::size_t i = 0; i < count; ++i) bits[i] = random() % 2 != 0;
  return bits;
}

// The bits of each output word over the cycles, on plain bits.
std::vector<std::vector<bool>> plain_words(const ClockedCircuit& circuit,
                                           const std::vector<std::vector<bool>>& words,
                                           std::size_t cycles) {
  std::vector<std::vector<bool>> inputs(cycles);
  for (std::size_t cycle = 0; cycle < cycles; ++cycle) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::size_t width = circuit.inputs()[i].width;
      const std::size_t first = words[i].size() == width ? 0 : cycle * width;
      for (std::size_t k = 0; k < width; ++k) inputs[cycle].push_back(words[i][first + k]);
    }
  }
  std::vector<std::vector<bool>> result(circuit.outputs().size());
  for (const auto& outputs : outputs_in_cycles(circuit, inputs)) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < result.size(); ++i) {
      const std::size_t width = circuit.outputs()[i].wires.size();
      for (std::size_t k = 0; k < width; ++k) result[i].push_back(outputs[next++]);
    }
  }
  return result;
}

std::vector<std::vector<bool>> decrypted_words(const Decryptor& decryptor,
                                               const std::vector<std::vector<Ciphertext>>& words) {
  std::vector<std::vector<bool>> bits;
  for (const auto& word : words) bits.push_back(decryptor.decrypt(word));
  return bits;
}

// Random bits for all cycles for the first input word, and one value for all cycles for the others.
std::vector<std::vector<bool>> input_words(const ClockedCircuit& circuit, std::size_t cycles) {
  std::vector<std::vector<bool>> words;
  for (const InputWord& word : circuit.inputs()) {
    words.push_back(random_bits(word.width * (words.empty() ? cycles : 1)));
  }
  return words;
}

std::vector<std::vector<Ciphertext>> encrypted(const Encryptor& encryptor,
                                               const std::vector<std::vector<bool>>& words) {
  std::vector<std::vector<Ciphertext>> result;
  for (const auto& word : words) result.push_back(encryptor.encrypt(word));
  return result;
}

}  // namespace

TEST_CASE("a circuit with registers is a step and what they start with", "[circuit]") {
  const ClockedCircuit circuit = small_circuit(true);
  CHECK(circuit.registers() == 1);
  CHECK(circuit.inputs().size() == 1);
  CHECK(circuit.outputs().size() == 1);
  CHECK(circuit.input_bits() == 2);
  CHECK(circuit.output_bits() == 1);
  CHECK(outputs_in_cycles(circuit, {{false, true}, {true, true}, {false, true}, {true, false}}) ==
        std::vector<std::vector<bool>>{{true}, {true}, {true}, {true}});
  CHECK(circuit.digest() != small_circuit(false).digest());
  CHECK(circuit != small_circuit(false));
  const ClockedCircuit combinational(circuit.step());
  CHECK(combinational.registers() == 0);
  CHECK(combinational.inputs().size() == 2);
  CHECK(combinational.outputs().size() == 2);
}

TEST_CASE("steps that do not fit their registers are refused", "[circuit]") {
  const Netlist step = small_circuit(true).step();
  const auto refused = [](const Netlist& given, std::vector<bool> initial) {
    CHECK_THROWS_MATCHES(ClockedCircuit(given, std::move(initial)), Error,
                         HasCode(ErrorCode::invalid_argument, "the last words of a step"));
  };
  refused(step, {true, false});
  refused(Netlist({}, {{GateKind::constant_1, {}}}, {{"y", {0}}, {"s", {0}}}), {true});
  refused(Netlist({{"s", 1}}, {}, {{"next", {0}}}), {true});
  refused(Netlist({{"s", 1}}, {}, {{"y", {0}}, {"next", {0, 0}}}), {true});
}

TEST_CASE("designs with registers are the same in every format", "[circuit]") {
  for (const auto& [name, make_design] : designs()) {
    const Story story = story_of(make_design(), 200);
    for (const std::string ending : {".blif", ".json", ".aag", ".aig"}) {
      CAPTURE(name, ending);
      const ClockedCircuit circuit = clocked_data(name + ending);
      CHECK(circuit.registers() > 0);
      std::vector<std::vector<bool>> inputs;
      for (const Values& values : story.inputs) inputs.push_back(cycle_bits(circuit, values));
      const auto outputs = outputs_in_cycles(circuit, inputs);
      std::vector<unsigned> numbers;
      for (const auto& bits : outputs) {
        numbers.push_back(static_cast<unsigned>(number_of(bits)));
      }
      CHECK(numbers == story.outputs);
    }
  }
}

TEST_CASE("what a cycle costs does not depend on the format much", "[circuit]") {
  // With ANDs as the only gates, sums and choices are recognised.
  CHECK(costs(clocked_data("lfsr.aag").step()).products == 0);
  CHECK(costs(clocked_data("lfsr.aig").step()).products == 0);
  CHECK(costs(clocked_data("lfsr.json").step()).products == 0);
  CHECK(costs(clocked_data("counter.blif").step()).products == 10);
  CHECK(costs(clocked_data("counter.aig").step()).products == 14);
  CHECK(costs(clocked_data("counter.json").step()).products == 14);
}

TEST_CASE("circuits with registers run on ciphertexts", "[circuit]") {
  for (const char* const group : {"cnt-mini", "cmnt-mini", "gh-mini"}) {
    const KeyPair& keys = test_keys(group);
    const Decryptor decryptor(keys.secret_key);
    for (const auto& [name, make_design] : designs()) {
      CAPTURE(group, name);
      constexpr std::size_t kCycles = 4;
      const ClockedCircuit circuit = clocked_data(name + ".blif");
      const auto words = input_words(circuit, kCycles);
      const auto expected = plain_words(circuit, words, kCycles);
      const Evaluator evaluator(keys.public_key);
      const Encryptor encryptor = test_encryptor(keys, name);
      const ClockedResult every =
          run_clocked(circuit, evaluator, encrypted(encryptor, words), kCycles, {{}, true});
      CHECK(decrypted_words(decryptor, every.outputs) == expected);
      CHECK(every.recryptions == evaluator.counts().recryptions);
      const ClockedResult last =
          run_clocked(circuit, evaluator, encrypted(encryptor, words), kCycles);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const auto width = static_cast<std::ptrdiff_t>(circuit.outputs()[i].wires.size());
        CHECK(decryptor.decrypt(last.outputs[i]) ==
              std::vector<bool>(expected[i].end() - width, expected[i].end()));
      }
    }
  }
}

TEST_CASE("registers keep to the noise that their plan allows", "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Evaluator evaluator(keys.public_key);
  const NoiseModel model = NoiseModel::of(evaluator.key());
  for (const auto& [name, make_design] : designs()) {
    CAPTURE(name);
    constexpr std::size_t kCycles = 12;
    const ClockedCircuit circuit = clocked_data(name + ".blif");
    const CyclePlan plan =
        plan_cycle(circuit, model, std::vector<NoiseBound>(circuit.input_bits(), model.fresh));
    CHECK((plan.state == model.refreshed || plan.state == model.rule.refresh_limit));
    CHECK(plan.recryptions >= plan.step.recryptions);
    const auto words = input_words(circuit, kCycles);
    const ClockedResult result =
        run_clocked(circuit, evaluator, encrypted(test_encryptor(keys, name), words), kCycles);
    // The first cycle begins with constants; no later one is worse than planned.
    CHECK(result.recryptions <= kCycles * plan.recryptions);
    CHECK(result.peak_ciphertexts > 0);
  }
}

TEST_CASE("a circuit without registers runs once for each value", "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const ClockedCircuit circuit(adder_circuit(2));
  const auto words = std::vector<std::vector<bool>>{random_bits(6), {true, false}};
  const ClockedResult result =
      run_clocked(circuit, Evaluator(keys.public_key),
                  encrypted(test_encryptor(keys, "each"), words), 3, {{}, true});
  CHECK(decrypted_words(Decryptor(keys.secret_key), result.outputs) ==
        plain_words(circuit, words, 3));
}

TEST_CASE("runs of cycles go on where they were stopped", "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Evaluator evaluator(keys.public_key);
  const ClockedCircuit circuit = clocked_data("counter.blif");
  constexpr std::size_t kCycles = 4;
  const auto words = input_words(circuit, kCycles);
  const auto inputs = encrypted(test_encryptor(keys, "resumed"), words);
  const auto expected = plain_words(circuit, words, kCycles);
  bool was_within_a_cycle = false;
  bool was_behind_a_cycle = false;
  for (const double stop_at : {0.0, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 0.95}) {
    CAPTURE(stop_at);
    const TemporaryDirectory directory;
    ClockedRunOptions options{{}, true};
    options.run.checkpoint = directory / "cp";
    std::stop_source source;
    double reached = 0;
    const Monitor monitor{source.get_token(), [&](std::string_view phase, double fraction) {
                            CHECK(phase == "cycles");
                            CHECK(fraction >= reached);
                            reached = fraction;
                            if (fraction > stop_at) source.request_stop();
                          }};
    CHECK_THROWS_MATCHES(run_clocked(circuit, evaluator, inputs, kCycles, options, monitor), Error,
                         HasCode(ErrorCode::stopped, ""));
    const bool has_files = directory.size() > 0;
    options.run.resume = has_files;
    const ClockedResult result = run_clocked(circuit, evaluator, inputs, kCycles, options);
    CHECK(decrypted_words(Decryptor(keys.secret_key), result.outputs) == expected);
    was_within_a_cycle = was_within_a_cycle || result.resumed_values > 0;
    was_behind_a_cycle = was_behind_a_cycle || result.resumed_cycles > 0;
    // Of the cycles nothing is left, and the whole run can be asked for again.
    for (std::size_t cycle = 0; cycle < kCycles; ++cycle) {
      CHECK(!std::filesystem::exists(cycle_checkpoint(directory / "cp", cycle)));
    }
    options.run.resume = true;
    const ClockedResult again = run_clocked(circuit, evaluator, inputs, kCycles, options);
    CHECK(again.resumed_cycles == kCycles);
    CHECK(again.recryptions == 0);
    CHECK(decrypted_words(Decryptor(keys.secret_key), again.outputs) == expected);
  }
  CHECK(was_within_a_cycle);
  CHECK(was_behind_a_cycle);
}

TEST_CASE("checkpoints of other runs of cycles are refused", "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Evaluator evaluator(keys.public_key);
  const ClockedCircuit circuit = small_circuit(true);
  const Encryptor encryptor = test_encryptor(keys, "other");
  const auto inputs = encrypted(encryptor, {{true, true}});
  const TemporaryDirectory directory;
  ClockedRunOptions options;
  options.run.checkpoint = directory / "cp";
  static_cast<void>(run_clocked(circuit, evaluator, inputs, 2, options));
  options.run.resume = true;
  const auto refused = [&](const ClockedCircuit& run, const auto& words, std::size_t cycles,
                           const std::string& what) {
    CHECK_THROWS_MATCHES(run_clocked(run, evaluator, words, cycles, options), Error,
                         HasCode(ErrorCode::invalid_argument, what));
  };
  refused(small_circuit(false), inputs, 2, "another circuit");
  refused(circuit, encrypted(encryptor, {{true, true}}), 2, "other inputs");
  refused(circuit, inputs, 3, "another number of cycles");
  options.every_cycle = true;
  refused(circuit, inputs, 2, "other outputs");
  options.every_cycle = false;
  const KeyPair& others = test_keys("cnt-mini", "another");
  CHECK_THROWS_MATCHES(
      run_clocked(circuit, Evaluator(others.public_key),
                  encrypted(test_encryptor(others, "other"), {{true, true}}), 2, options),
      Error, HasCode(ErrorCode::wrong_key, ""));
  // That of a plain run is no checkpoint of cycles, and the other way round.
  const TemporaryDirectory plain;
  std::vector<Ciphertext> bits = encryptor.encrypt({true, true, false});
  CircuitRunOptions plain_options;
  plain_options.checkpoint = plain / "cp";
  static_cast<void>(run_circuit(circuit.step(), evaluator, bits, plain_options));
  options.run.checkpoint = plain / "cp";
  CHECK_THROWS_MATCHES(run_clocked(circuit, evaluator, inputs, 2, options), Error,
                       HasCode(ErrorCode::wrong_key, ""));
  plain_options.checkpoint = directory / "cp";
  plain_options.resume = true;
  CHECK_THROWS_MATCHES(run_circuit(circuit.step(), evaluator, bits, plain_options), Error,
                       HasCode(ErrorCode::wrong_key, ""));
  options.run.checkpoint = directory / "none";
  CHECK_THROWS_MATCHES(run_clocked(circuit, evaluator, inputs, 2, options), Error,
                       HasCode(ErrorCode::io, "none"));
}

TEST_CASE("forged checkpoints of cycles are refused", "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Evaluator evaluator(keys.public_key);
  const ClockedCircuit circuit = small_circuit(true);
  const auto inputs = encrypted(test_encryptor(keys, "forged"), {{true, true}});
  const TemporaryDirectory directory;
  ClockedRunOptions options;
  options.run.checkpoint = directory / "cp";
  static_cast<void>(run_clocked(circuit, evaluator, inputs, 2, options));
  const Draft good(directory / "cp");
  options.run.resume = true;
  options.run.checkpoint = directory / "forged";
  const auto refused = [&](const Draft& draft, ErrorCode code) {
    draft.write(directory / "forged");
    CHECK_THROWS_MATCHES(run_clocked(circuit, evaluator, inputs, 2, options), Error,
                         HasCode(code, "forged"));
  };
  constexpr std::size_t kFinished = 2 * 32 + 2 * 8;  // its place in the section
  for (const unsigned finished : {0U, 3U, 255U}) {
    Draft draft = good;
    draft["cycles"][kFinished] = static_cast<std::byte>(finished);
    refused(draft, ErrorCode::malformed_file);
  }
  Draft huge = good;
  std::fill_n(huge["cycles"].begin() + kFinished, 8, std::byte{0xff});
  refused(huge, ErrorCode::malformed_file);
  Draft longer = good;
  longer["cycles"].push_back(std::byte{0});
  refused(longer, ErrorCode::malformed_file);
  Draft shorter = good;
  shorter["cycles"].pop_back();
  refused(shorter, ErrorCode::malformed_file);
  Draft every = good;  // has the outputs of one cycle only
  every["cycles"][kFinished - 8] = std::byte{1};
  refused(every, ErrorCode::invalid_argument);
  options.every_cycle = true;
  refused(every, ErrorCode::malformed_file);
}

TEST_CASE("a checkpoint of cycles has as many values as its circuit", "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "cp";
  const ClockedIdentity identity{.cycles = 2};
  // Of one register and one output.
  const auto load = [&](std::size_t values) {
    const std::vector<bool> bits(values);
    save_clocked_checkpoint(path, identity, {1, test_encryptor(keys).encrypt(bits)},
                            keys.public_key, {});
    return load_clocked_checkpoint(path, identity, 1, 1, keys.public_key, {}).values.size();
  };
  CHECK(load(2) == 2);
  for (const std::size_t values : {1U, 3U}) {
    CHECK_THROWS_MATCHES(load(values), Error,
                         HasCode(ErrorCode::malformed_file, "values after 1 of 2 cycles"));
  }
}

TEST_CASE("what several registers take is refreshed once", "[circuit]") {
  // y = s0 a + s1 b, and both registers take a b.
  NetlistBuilder builder;
  const auto ab = builder.input("ab", 2);
  const auto s = builder.input("s", 2);
  builder.output("y",
                 {builder.xor_gate(builder.and_gate(s[0], ab[0]), builder.and_gate(s[1], ab[1]))});
  const Wire both = builder.and_gate(ab[0], ab[1]);
  builder.output("next", {both, both});
  const ClockedCircuit circuit(builder.build(), {true, false});
  const KeyPair& keys = test_keys("cnt-mini");
  const Evaluator evaluator(keys.public_key);
  const NoiseModel model = NoiseModel::of(evaluator.key());
  const CyclePlan plan = plan_cycle(circuit, model, {model.fresh, model.fresh});
  CHECK(plan.state == model.refreshed);
  CHECK(plan.recryptions == plan.step.recryptions + 1);
  constexpr std::size_t kCycles = 4;
  const ClockedResult result = run_clocked(
      circuit, evaluator, encrypted(test_encryptor(keys, "shared"), {{true, true}}), kCycles);
  CHECK(result.recryptions <= kCycles * plan.recryptions);
  CHECK(decrypted_words(Decryptor(keys.secret_key), result.outputs) ==
        std::vector<std::vector<bool>>{{false}});
}

TEST_CASE("what is kept for later cycles counts as memory", "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Evaluator evaluator(keys.public_key);
  const ClockedCircuit circuit = small_circuit(true);
  constexpr std::size_t kCycles = 20;
  const auto inputs = encrypted(test_encryptor(keys, "kept"), {std::vector<bool>(2 * kCycles)});
  ClockedRunOptions options;
  const auto run_within = [&](std::size_t ciphertexts) {
    options.run.max_memory_bytes = ciphertexts * ciphertext_bytes(keys.public_key.modulus());
    return run_clocked(circuit, evaluator, inputs, kCycles, options).peak_ciphertexts;
  };
  const std::size_t peak = run_within(4 * kCycles);
  CHECK(peak > 2 * kCycles);
  CHECK(run_within(peak) <= peak);
  CHECK_THROWS_MATCHES(run_within(2 * kCycles - 2), Error,
                       HasCode(ErrorCode::unsupported, "values at a time"));
}

TEST_CASE("wrong inputs of runs of cycles are refused", "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Evaluator evaluator(keys.public_key);
  const ClockedCircuit circuit = small_circuit(true);
  const Encryptor encryptor = test_encryptor(keys, "wrong");
  const auto refused = [&](const std::vector<std::vector<bool>>& words, std::size_t cycles,
                           const std::string& what) {
    CHECK_THROWS_MATCHES(run_clocked(circuit, evaluator, encrypted(encryptor, words), cycles),
                         Error, HasCode(ErrorCode::invalid_argument, what));
  };
  refused({}, 1, "1 input words, not 0");
  refused({{true, true}, {true}}, 1, "1 input words, not 2");
  refused({{true}}, 1, "takes 2 bits");
  refused({{true, true, true, true}}, 3, "takes 2 bits");
  refused({{true, true}}, 0, "1 to 4294967296 cycles");
  refused({{true, true}}, kMaxCycles + 1, "1 to 4294967296 cycles");
  ClockedRunOptions small;
  small.run.max_memory_bytes = 1000;
  CHECK_THROWS_MATCHES(
      run_clocked(circuit, evaluator, encrypted(encryptor, {{true, true}}), 2, small), Error,
      HasCode(ErrorCode::unsupported, ""));
  ClockedRunOptions limited;
  const TemporaryDirectory directory;
  limited.run.checkpoint = directory / "cp";
  limited.run.limits.max_ciphertexts = 1;
  CHECK_THROWS_MATCHES(
      run_clocked(circuit, evaluator, encrypted(encryptor, {{true, true}}), 2, limited), Error,
      HasCode(ErrorCode::invalid_argument, "checkpoint"));
}

}  // namespace fhe::test
