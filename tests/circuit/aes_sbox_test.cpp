// SPDX-License-Identifier: Apache-2.0
// The S-box of AES as a circuit of 32 ANDs, from a file, on plain and on encrypted bits.
#include "libfhe/circuit/netlist_files.hpp"
#include "libfhe/circuit/run.hpp"
#include "tests/catch.hpp"
#include "tests/support/circuits.hpp"
#include "tests/support/key_fixtures.hpp"

namespace fhe::test {

namespace {

Netlist sbox_circuit() {
  return load_netlist(FHE_TEST_DATA_DIR "/circuits/aes_sbox.blif");
}

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

// Runs the circuit on encryptions of these bytes; the recryptions of one run.
std::size_t check_encrypted(const std::string& group, const std::vector<unsigned>& bytes) {
  const Netlist netlist = sbox_circuit();
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

TEST_CASE("the S-box of AES is right for every byte", "[circuit]") {
  const Netlist netlist = sbox_circuit();
  CHECK(costs(netlist).products == 32);
  CHECK(costs(netlist).and_depth == 6);
  for (unsigned byte = 0; byte < 256; ++byte) {
    CHECK(number_of(evaluate_plain(netlist, bits_of(byte, 8))) == sbox(byte));
  }
  CHECK(sbox(0x53) == 0xed);  // the example of FIPS 197
}

TEST_CASE("the S-box of AES runs on ciphertexts", "[circuit]") {
  CHECK(check_encrypted("cnt-toy", {0x00, 0x53, 0xff}) == 17);
  CHECK(check_encrypted("gh-512", {0x53, 0xca}) == 0);
}

TEST_CASE("one run of the S-box of AES works on the bytes of all slots", "[circuit][slots]") {
  const KeyPair& keys = test_keys("bdghv-toy");
  const std::size_t slots = keys.public_key.slots();
  REQUIRE(slots == 10);
  const auto byte_of = [](std::size_t slot) { return static_cast<unsigned>(27 * slot + 1); };
  std::vector<std::vector<bool>> bytes;
  for (std::size_t j = 0; j < slots; ++j) bytes.push_back(bits_of(byte_of(j), 8));
  const CircuitResult result =
      run_circuit(sbox_circuit(), Evaluator(keys.public_key),
                  test_encryptor(keys, "slots").encrypt_slots(transposed(bytes)));
  CHECK(result.recryptions == 17);
  const auto outputs = transposed(Decryptor(keys.secret_key).decrypt_slots(result.outputs));
  for (std::size_t j = 0; j < slots; ++j) {
    CAPTURE(j);
    CHECK(number_of(outputs.at(j)) == sbox(byte_of(j)));
  }
}

TEST_CASE("the S-box of AES runs on many bytes encrypted", "[circuit][long]") {
  std::vector<unsigned> bytes;
  for (unsigned byte = 0; byte < 256; byte += 5) bytes.push_back(byte);
  CHECK(check_encrypted("cnt-toy", bytes) == 17);
}

}  // namespace fhe::test
