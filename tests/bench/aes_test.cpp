// SPDX-License-Identifier: Apache-2.0
// AES-128 on plain and on encrypted bits: its S-box, a block in each slot, a byte in each slot; its
// recryptions beside those that ePrint 2013/036 counts in section 6.
#include "apps/bench/aes/byte_wise.hpp"
#include "apps/bench/aes/circuits.hpp"
#include "libfhe/circuit/program.hpp"
#include "libfhe/circuit/run.hpp"
#include "tests/catch.hpp"
#include "tests/support/aes_reference.hpp"
#include "tests/support/circuits.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

namespace {

using namespace bench;

// The product in GF(2)[x] / (x^8 + x^4 + x^3 + x + 1).
unsigned product(unsigned x, unsigned y) {
  unsigned result = 0;
  for (; y != 0; y >>= 1) {
    if (y % 2 != 0) result ^= x;
    x = x << 1 ^ (x >= 0x80 ? 0x11b : 0);
  }
  return result;
}

// FIPS 197, section 5.1.1: the inverse, and an affine map of its bits.
unsigned sbox(unsigned x) {
  unsigned inverse = 0;
  while (x != 0 && product(x, inverse) != 1) ++inverse;
  unsigned result = 0x63;
  for (unsigned i = 0; i < 5; ++i) result ^= (inverse << i | inverse >> (8 - i)) & 0xff;
  return result;
}

AesBlock random_block(Operands& random) {
  AesBlock block{};
  for (unsigned char& byte : block) byte = static_cast<unsigned char>(random.between(0, 255));
  return block;
}

// A group with room for one block, byte-wise.
const KeyPair& keys_of_sixteen_slots() {
  static const KeyPair keys = KeyGenerator(GroupText("bdghv-mini")
                                               .head("name", GroupText::quoted("bdghv-sixteen"))
                                               .set("slots", 16)
                                               .set("Theta", 240)
                                               .set("eta", 640)
                                               .parse(),
                                           open_backend(), {byte_wise_permutations(16)})
                                  .generate(TestSeed{"sixteen"});
  return keys;
}

std::vector<Ciphertext> owner_encrypted(const KeyPair& keys, const std::vector<SlotBits>& rows) {
  return expand(SecretEncryptor(keys.secret_key).encrypt_slots(rows), keys.public_key);
}

std::vector<AesBlock> decrypted_blocks(const KeyPair& keys, const std::vector<Ciphertext>& state) {
  return byte_wise_blocks_of(Decryptor(keys.secret_key).decrypt_slots(state));
}

// Runs the circuit on encryptions of these bytes; the recryptions of one run.
std::size_t check_encrypted(const std::string& group, const std::vector<unsigned>& bytes) {
  const Netlist& netlist = aes_sbox();
  const KeyPair& keys = test_keys(group);
  const Evaluator evaluator(keys.public_key);
  const Encryptor encryptor = test_encryptor(keys, "sbox");
  const Decryptor decryptor(keys.secret_key);
  std::size_t recryptions = 0;
  for (const unsigned byte : bytes) {
    const CircuitResult result =
        run_circuit(netlist, evaluator, encryptor.encrypt(bits_of(byte, 8)));
    CAPTURE(byte);
    CHECK(number_of(decryptor.decrypt(result.outputs)) == sbox(byte));
    recryptions = result.recryptions;
  }
  return recryptions;
}

}  // namespace

TEST_CASE("the S-box of AES is right for every byte", "[aes]") {
  const Netlist& netlist = aes_sbox();
  CHECK(costs(netlist).products == 32);
  CHECK(costs(netlist).and_depth == 6);
  for (unsigned byte = 0; byte < 256; ++byte) {
    CHECK(number_of(evaluate_plain(netlist, bits_of(byte, 8))) == sbox(byte));
  }
  CHECK(sbox(0x53) == 0xed);  // the example of FIPS 197
}

TEST_CASE("the S-box of AES runs on ciphertexts", "[aes]") {
  CHECK(check_encrypted("cnt-toy", {0x00, 0x53, 0xff}) == 17);
  CHECK(check_encrypted("gh-512", {0x53, 0xca}) == 0);
}

TEST_CASE("one run of the S-box of AES works on the bytes of all slots", "[aes][slots]") {
  const KeyPair& keys = test_keys("bdghv-toy");
  const std::size_t slots = keys.public_key.slots();
  REQUIRE(slots == 10);
  const auto byte_of = [](std::size_t slot) { return static_cast<unsigned>(27 * slot + 1); };
  std::vector<std::vector<bool>> bytes;
  for (std::size_t j = 0; j < slots; ++j) bytes.push_back(bits_of(byte_of(j), 8));
  const CircuitResult result =
      run_circuit(aes_sbox(), Evaluator(keys.public_key),
                  test_encryptor(keys, "slots").encrypt_slots(transposed(bytes)));
  CHECK(result.recryptions == 17);
  const auto outputs = transposed(Decryptor(keys.secret_key).decrypt_slots(result.outputs));
  for (std::size_t j = 0; j < slots; ++j) {
    CAPTURE(j);
    CHECK(number_of(outputs.at(j)) == sbox(byte_of(j)));
  }
}

TEST_CASE("the S-box of AES runs on many bytes encrypted", "[aes][long]") {
  std::vector<unsigned> bytes;
  for (unsigned byte = 0; byte < 256; byte += 5) bytes.push_back(byte);
  CHECK(check_encrypted("cnt-toy", bytes) == 17);
}

TEST_CASE("AES-128 agrees with FIPS 197 and OpenSSL", "[aes]") {
  const Netlist aes = aes_circuit();
  CHECK(costs(aes).products == 160 * 32);
  // Appendix C.1.
  AesBlock key{};
  AesBlock plain{};
  for (unsigned i = 0; i < 16; ++i) {
    key.at(i) = static_cast<unsigned char>(i);
    plain.at(i) = static_cast<unsigned char>(0x11 * i);
  }
  const AesBlock cipher{0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30,
                        0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a};
  CHECK(evaluate_plain(aes, aes_inputs(key, plain)) == aes_bits(cipher));
  Operands random(197);
  for (int i = 0; i < 10; ++i) {
    key = random_block(random);
    plain = random_block(random);
    CHECK(evaluate_plain(aes, aes_inputs(key, plain)) ==
          aes_bits(AesReference(key).encrypt(plain)));
  }
}

TEST_CASE("the steps of AES-128 make up the whole", "[aes]") {
  Operands random(199);
  const AesBlock key = random_block(random);
  const AesBlock plain = random_block(random);
  const Netlist add_round_key = add_round_key_circuit();
  const auto add_key = [&](std::vector<bool> state, const AesBlock& round_key) {
    return evaluate_plain(add_round_key, joined({std::move(state), aes_bits(round_key)}));
  };
  const std::vector<AesBlock> keys = aes_round_keys(key);
  std::vector<bool> state = add_key(aes_bits(plain), keys[0]);
  for (std::size_t round = 1; round < kAesRounds; ++round) {
    state = evaluate_plain(sub_bytes_circuit(), state);
    state = add_key(evaluate_plain(mix_columns_circuit(), state), keys[round]);
  }
  // The last round has no MixColumns: its result, shifted back, is that of SubBytes.
  const std::vector<bool> substituted = evaluate_plain(sub_bytes_circuit(), state);
  const std::vector<bool> expected =
      add_key(aes_bits(AesReference(key).encrypt(plain)), keys[kAesRounds]);
  const auto sources = shift_rows_sources();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(substituted[8 * sources.at(i / 8) + i % 8] == expected[i]);
  }
}

// The paper refreshes 17 bits of each of the 16 S-boxes of nine rounds, and has 2448 recryptions.
TEST_CASE("AES-128 takes fewer recryptions than the paper counts", "[aes][slots]") {
  constexpr std::size_t kOfPaper = 9 * 16 * 17;
  const KeyPair& keys = test_keys("bdghv-toy");
  const Evaluator evaluator(keys.public_key);
  const Netlist aes = aes_circuit();
  const NoiseBound own =
      owner_encrypted(keys, {SlotBits(keys.public_key.slots(), true)}).front().noise();
  const CircuitProgram program =
      CircuitProgram::compile(aes, evaluator, std::vector<NoiseBound>(aes.input_bits(), own));
  CAPTURE(program.plan().lower_bound);
  CHECK(program.plan().recryptions <= kOfPaper);
}

TEST_CASE("AES-128 runs with a byte in each slot", "[aes][slots]") {
  constexpr std::size_t kOfPaper = 377;
  const KeyPair& keys = keys_of_sixteen_slots();
  Operands random(211);
  const AesBlock key = random_block(random);
  const AesBlock plain = random_block(random);
  const auto encrypted = [&](const AesBlock& block) {
    return owner_encrypted(keys, byte_wise_rows(std::vector{block}, 16));
  };
  std::vector<ByteWiseAes::State> round_keys;
  for (const AesBlock& round_key : aes_round_keys(key)) round_keys.push_back(encrypted(round_key));
  const Evaluator evaluator(keys.public_key);
  const auto state = ByteWiseAes(evaluator).encrypt(encrypted(plain), round_keys);
  CHECK(decrypted_blocks(keys, state) == std::vector{AesReference(key).encrypt(plain)});
  CAPTURE(evaluator.counts().recryptions);
  CHECK(evaluator.counts().recryptions <= kOfPaper);
}

TEST_CASE("blocks with a byte in each slot leave the other slots alone", "[aes][slots]") {
  for (const SlotPermutation& permutation : byte_wise_permutations(37)) {
    for (std::size_t j = 0; j < 37; ++j) {
      CHECK(permutation.sources()[j] / 16 == j / 16);
      if (j >= 32) CHECK(permutation.sources()[j] == j);
    }
  }
  Operands random(223);
  const std::vector<AesBlock> blocks{random_block(random), random_block(random)};
  CHECK(byte_wise_blocks_of(byte_wise_rows(blocks, 37)) == blocks);
}

TEST_CASE("AES-128 runs on two blocks with a byte in each slot", "[aes][slots][long]") {
  const KeyPair keys =
      KeyGenerator(ParameterSet::named("bdghv-small"), open_backend(), {byte_wise_permutations(37)})
          .generate(TestSeed{"two blocks"});
  Operands random(227);
  const std::vector<AesBlock> round_keys = aes_round_keys(random_block(random));
  const std::vector<AesBlock> plain{random_block(random), random_block(random)};
  const auto encrypted = [&](const std::vector<AesBlock>& blocks) {
    return owner_encrypted(keys, byte_wise_rows(blocks, 37));
  };
  std::vector<ByteWiseAes::State> encrypted_keys;
  for (const AesBlock& round_key : round_keys) {
    encrypted_keys.push_back(encrypted({round_key, round_key}));
  }
  const auto state =
      ByteWiseAes(Evaluator(keys.public_key)).encrypt(encrypted(plain), encrypted_keys);
  AesReference reference(round_keys.front());
  CHECK(decrypted_blocks(keys, state) ==
        std::vector{reference.encrypt(plain[0]), reference.encrypt(plain[1])});
}

TEST_CASE("one run of AES-128 encrypts a block in every slot", "[aes][slots][long]") {
  const KeyPair& keys = test_keys("bdghv-toy");
  Operands random(229);
  std::vector<std::vector<bool>> inputs;
  std::vector<std::vector<bool>> expected;
  for (std::size_t j = 0; j < keys.public_key.slots(); ++j) {
    const AesBlock key = random_block(random);
    const AesBlock plain = random_block(random);
    inputs.push_back(aes_inputs(key, plain));
    expected.push_back(aes_bits(AesReference(key).encrypt(plain)));
  }
  const CircuitResult result = run_circuit(aes_circuit(), Evaluator(keys.public_key),
                                           owner_encrypted(keys, transposed(inputs)));
  CHECK(transposed(Decryptor(keys.secret_key).decrypt_slots(result.outputs)) == expected);
}

}  // namespace fhe::test
