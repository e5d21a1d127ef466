// SPDX-License-Identifier: Apache-2.0
// AES-128 with a block in every slot, as in ePrint 2013/036, section 6 ("state-wise"): against
// OpenSSL, and its recryptions beside those that the paper counts.
#include "libfhe/circuit/netlist_files.hpp"
#include "libfhe/circuit/program.hpp"
#include "libfhe/circuit/run.hpp"
#include "tests/catch.hpp"
#include "tests/support/aes_state.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

namespace {

Netlist boyar_peralta() {
  return load_netlist(FHE_TEST_DATA_DIR "/circuits/aes_sbox.blif");
}

AesBlock random_block(Operands& random) {
  AesBlock block{};
  for (unsigned char& byte : block) byte = static_cast<unsigned char>(random.between(0, 255));
  return block;
}

}  // namespace

TEST_CASE("AES-128 on its state agrees with OpenSSL", "[circuit][slots]") {
  const Netlist sbox = boyar_peralta();
  const Netlist aes = AesStateBuilder(sbox).build();
  CHECK(costs(aes).products == 160 * 32);
  Operands random(197);
  for (int i = 0; i < 10; ++i) {
    const AesBlock key = random_block(random);
    const AesBlock plain = random_block(random);
    CHECK(evaluate_plain(aes, aes_inputs(key, plain, sbox)) ==
          aes_bits(AesReference(key).encrypt(plain)));
  }
}

// The paper refreshes 17 bits of each of the 16 S-boxes of nine rounds, and has 2448 recryptions.
TEST_CASE("AES-128 is planned with fewer recryptions a round than the paper counts",
          "[circuit][slots]") {
  constexpr std::size_t kOfPaper = 9 * 16 * 17;
  const Netlist aes = AesStateBuilder(boyar_peralta()).build();
  const Evaluator evaluator(test_keys("bdghv-toy").public_key);
  const CircuitProgram program = CircuitProgram::compile(aes, evaluator);
  const double each = static_cast<double>(program.plan().recryptions) / kAesRounds;
  CAPTURE(program.plan().recryptions, program.plan().lower_bound);
  CHECK(each <= static_cast<double>(kOfPaper) / 9);
}

TEST_CASE("one run of AES-128 on the state encrypts a block in every slot",
          "[circuit][slots][long]") {
  const Netlist sbox = boyar_peralta();
  const KeyPair& keys = test_keys("bdghv-toy");
  Operands random(199);
  std::vector<std::vector<bool>> inputs;
  std::vector<std::vector<bool>> expected;
  for (std::size_t j = 0; j < keys.public_key.slots(); ++j) {
    const AesBlock key = random_block(random);
    const AesBlock plain = random_block(random);
    inputs.push_back(aes_inputs(key, plain, sbox));
    expected.push_back(aes_bits(AesReference(key).encrypt(plain)));
  }
  const Netlist aes = AesStateBuilder(sbox).build();
  const CircuitResult result = run_circuit(
      aes, Evaluator(keys.public_key),
      expand(SecretEncryptor(keys.secret_key).encrypt_slots(transposed(inputs)), keys.public_key));
  CHECK(transposed(Decryptor(keys.secret_key).decrypt_slots(result.outputs)) == expected);
}

}  // namespace fhe::test
