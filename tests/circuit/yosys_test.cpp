// SPDX-License-Identifier: Apache-2.0
// Circuits that others made: Verilog through the installed Yosys, read as BLIF, written and read
// again as Bristol Fashion, and compared with C++ and OpenSSL.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "libfhe/circuit/bristol.hpp"
#include "libfhe/circuit/netlist_files.hpp"
#include "libfhe/circuit/run.hpp"
#include "tests/catch.hpp"
#include "tests/support/circuits.hpp"
#include "tests/support/clocked_circuits.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/operands.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

namespace {

constexpr const char* kSynthesis = "synth -flatten; abc -lut 3; opt_clean";
// Keeps the structure of a design that is written with few ANDs.
constexpr const char* kStructural = "proc; techmap; opt; flatten; opt_clean";

bool has_yosys() {
  static const bool found = std::system("yosys -V > /dev/null 2>&1") == 0;
  if (!found) WARN("SKIP: yosys is not installed, circuits from Verilog are not tested");
  return found;
}

// The module `name` of tests/data/circuits, as a circuit that went through both formats.
Netlist synthesized(const std::string& name, const std::string& passes) {
  const TemporaryDirectory directory;
  const std::filesystem::path blif = directory / (name + ".blif");
  const std::string command = fmt::format(
      "yosys -q -p 'read_verilog {}/circuits/{}.v; hierarchy -top {}; {}; write_blif {}'",
      FHE_TEST_DATA_DIR, name, name, passes, blif.string());
  REQUIRE(std::system(command.c_str()) == 0);
  const Netlist netlist = load_netlist(blif);
  save_bristol(directory / "bristol.txt", netlist);
  Netlist again = load_netlist(directory / "bristol.txt");
  CHECK(costs(again).products == costs(netlist).products);
  return again;
}

// The module `name` of tests/data/circuits, as these passes write it.
ClockedCircuit clocked_synthesized(const std::string& name, const std::string& passes,
                                   const std::string& ending) {
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory / (name + ending);
  const std::string command = fmt::format("yosys -q -p 'read_verilog {}/circuits/{}.v; {} {}'",
                                          FHE_TEST_DATA_DIR, name, passes, file.string());
  REQUIRE(std::system(command.c_str()) == 0);
  return load_circuit(file);
}

struct Bytes16 {
  std::array<unsigned char, 16> bytes{};

  // Bit 127 of a port is the first bit of the first byte.
  [[nodiscard]] std::vector<bool> port() const {
    std::vector<bool> bits(128);
    for (std::size_t i = 0; i < 128; ++i) bits[127 - i] = (bytes.at(i / 8) >> (7 - i % 8) & 1) != 0;
    return bits;
  }
};

Bytes16 random_bytes(Operands& random) {
  Bytes16 block;
  for (auto& byte : block.bytes) byte = static_cast<unsigned char>(random.between(0, 255));
  return block;
}

Bytes16 aes128(const Bytes16& key, const Bytes16& plaintext) {
  Bytes16 result;
  int size = 0;
  EVP_CIPHER_CTX* const context = EVP_CIPHER_CTX_new();
  REQUIRE(EVP_EncryptInit_ex(context, EVP_aes_128_ecb(), nullptr, key.bytes.data(), nullptr) == 1);
  EVP_CIPHER_CTX_set_padding(context, 0);
  REQUIRE(EVP_EncryptUpdate(context, result.bytes.data(), &size, plaintext.bytes.data(), 16) == 1);
  EVP_CIPHER_CTX_free(context);
  REQUIRE(size == 16);
  return result;
}

}  // namespace

TEST_CASE("an adder, a comparator and a multiplier from Verilog", "[circuit]") {
  if (!has_yosys()) return;
  Operands random(64);
  const Netlist adder = synthesized("adder64", kSynthesis);
  const Netlist comparator = synthesized("compare32", kSynthesis);
  const Netlist multiplier = synthesized("multiply32", kSynthesis);
  CHECK(adder.input_bits() == 128);
  // Yosys 0.23 gets to 133, 138 and 1127; with gates in place of tables it is twice as many.
  CHECK(costs(adder).products < 190);
  CHECK(costs(comparator).products < 200);
  CHECK(costs(multiplier).products < 1500);
  for (int i = 0; i < 50; ++i) {
    const std::uint64_t x = random.bits(64).get_ui();
    const std::uint64_t y = random.bits(64).get_ui();
    CHECK(number_of(evaluate_plain(adder, joined({bits_of(x, 64), bits_of(y, 64)}))) == x + y);
    const std::uint64_t a = x >> 32;
    const std::uint64_t b = i % 5 == 0 ? a : y >> 32;
    const auto compared = evaluate_plain(comparator, joined({bits_of(a, 32), bits_of(b, 32)}));
    CHECK(compared.at(0) == (a < b));
    CHECK(compared.at(1) == (a == b));
    CHECK(number_of(compared, 2) == std::min(a, b));
    CHECK(number_of(evaluate_plain(multiplier, joined({bits_of(a, 32), bits_of(b, 32)}))) ==
          (a * b & 0xffffffff));
  }
}

TEST_CASE("designs with registers come from Verilog in every format", "[circuit]") {
  if (!has_yosys()) return;
  const std::string legalized = "synth -flatten; async2sync; dfflegalize -cell $_DFF_P_ 01; ";
  const std::vector<std::pair<std::string, std::string>> ways{
      {".blif", legalized + "abc -lut 3; opt_clean; write_blif"},
      {".json", "synth -flatten; write_json"},
      {".json", "synth -flatten; async2sync; abc -lut 3; opt_clean; write_json"},
      {".aag", legalized + "aigmap; opt_clean; write_aiger -symbols -ascii"},
      {".aig", legalized + "aigmap; opt_clean; write_aiger -symbols"},
  };
  std::mt19937 random(5);
  for (const std::string design : {"counter", "lfsr", "serial_adder", "lock"}) {
    std::vector<std::vector<std::pair<std::string, unsigned>>> inputs;
    for (unsigned cycle = 0; cycle < 50; ++cycle) {
      inputs.emplace_back();
      for (const std::string name : {"enable", "step", "a", "b", "digit"}) {
        inputs.back().emplace_back(name, random() % 8);
      }
      inputs.back().emplace_back("reset", cycle % 20 == 0 ? 1 : 0);
      inputs.back().emplace_back("start", cycle % 5 == 0 ? 1 : 0);
    }
    const auto outputs = [&](const ClockedCircuit& circuit) {
      std::vector<std::vector<bool>> bits;
      for (const auto& values : inputs) bits.push_back(cycle_bits(circuit, values));
      return outputs_in_cycles(circuit, bits);
    };
    const auto expected = outputs(clocked_data(design + ".blif"));
    for (const auto& [ending, passes] : ways) {
      CAPTURE(design, passes);
      CHECK(outputs(clocked_synthesized(design, passes, ending)) == expected);
    }
  }
}

TEST_CASE("clocks that Yosys samples are inputs", "[circuit]") {
  if (!has_yosys()) return;
  const ClockedCircuit circuit = clocked_synthesized(
      "lfsr", "synth -flatten; clk2fflogic; opt; simplemap; opt; abc -lut 3; opt_clean; write_blif",
      ".blif");
  REQUIRE(circuit.inputs().size() == 1);
  CHECK(circuit.inputs()[0].name == "clk");
  // One step of the register for each rising edge, which is seen in the sample that shows it.
  std::vector<std::vector<bool>> clock;
  for (int i = 0; i < 20; ++i) clock.push_back({i % 4 >= 2});
  std::vector<std::uint64_t> states;
  for (const auto& bits : outputs_in_cycles(circuit, clock)) states.push_back(number_of(bits));
  states.erase(std::unique(states.begin(), states.end()), states.end());
  const auto whole =
      outputs_in_cycles(clocked_data("lfsr.blif"), std::vector<std::vector<bool>>(states.size()));
  REQUIRE(states.size() >= 5);
  for (std::size_t i = 0; i < states.size(); ++i) CHECK(states[i] == number_of(whole[i]));
}

TEST_CASE("AES-128 from Verilog runs on ciphertexts", "[circuit][long]") {
  if (!has_yosys()) return;
  const Netlist aes = synthesized("aes128", kStructural);
  const KeyPair& keys = test_keys("cnt-toy");
  Operands random(197);
  const Bytes16 key = random_bytes(random);
  const Bytes16 plaintext = random_bytes(random);
  const CircuitResult result =
      run_circuit(aes, Evaluator(keys.public_key),
                  test_encryptor(keys, "aes").encrypt(joined({key.port(), plaintext.port()})));
  CHECK(Decryptor(keys.secret_key).decrypt(result.outputs) == aes128(key, plaintext).port());
  CHECK(result.recryptions == 3800);
  CHECK(result.plan.lower_bound == 3800);
}

TEST_CASE("one run of AES-128 works on the blocks of all slots", "[circuit][slots][long]") {
  if (!has_yosys()) return;
  const Netlist aes = synthesized("aes128", kStructural);
  const KeyPair& keys = test_keys("bdghv-toy");
  const std::size_t slots = keys.public_key.slots();
  Operands random(198);
  std::vector<Bytes16> expected;
  std::vector<std::vector<bool>> inputs;
  for (std::size_t j = 0; j < slots; ++j) {
    const Bytes16 key = random_bytes(random);
    const Bytes16 plaintext = random_bytes(random);
    inputs.push_back(joined({key.port(), plaintext.port()}));
    expected.push_back(aes128(key, plaintext));
  }
  const CircuitResult result =
      run_circuit(aes, Evaluator(keys.public_key),
                  test_encryptor(keys, "aes").encrypt_slots(transposed(inputs)));
  const auto outputs = transposed(Decryptor(keys.secret_key).decrypt_slots(result.outputs));
  for (std::size_t j = 0; j < slots; ++j) {
    CAPTURE(j);
    CHECK(outputs.at(j) == expected[j].port());
  }
  CHECK(result.recryptions == 3800);
}

TEST_CASE("AES-128 from Verilog agrees with OpenSSL", "[circuit][long]") {
  if (!has_yosys()) return;
  const Netlist aes = synthesized("aes128", kStructural);
  CHECK(costs(aes).products == 7400);
  Operands random(128);
  for (int i = 0; i < 20; ++i) {
    const Bytes16 key = random_bytes(random);
    const Bytes16 plaintext = random_bytes(random);
    CHECK(evaluate_plain(aes, joined({key.port(), plaintext.port()})) ==
          aes128(key, plaintext).port());
  }
}

}  // namespace fhe::test
