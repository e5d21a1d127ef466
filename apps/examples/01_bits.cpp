// SPDX-License-Identifier: Apache-2.0
// Example 1: keys, encryption, gates, decryption.
#include <iostream>
#include <vector>

#include "shared.hpp"
#include <libfhe/fhe.hpp>

using fhe::examples::check;

int main() {
  // A parameter group fixes the scheme and its sizes. cnt-toy is the smallest published one of its
  // scheme: quick, and far from secure.
  const fhe::KeyGenerator generator(fhe::ParameterSet::named("cnt-toy"));

  // The public key encrypts and computes; only the secret key decrypts.
  const fhe::KeyPair keys = generator.generate();
  std::cout << "made " << keys.public_key.id().text() << '\n';

  // The public key's two uses and the secret key's one. A Decryptor refers to its key, so the key
  // must outlive it.
  const fhe::Encryptor encryptor(keys.public_key);
  const fhe::Evaluator evaluator(keys.public_key);
  const fhe::Decryptor decryptor(keys.secret_key);

  // A ciphertext is one large integer. Encrypting is random: the same bit never looks the same.
  const fhe::Ciphertext one = encryptor.encrypt(true);
  const fhe::Ciphertext zero = encryptor.encrypt(false);
  check(one.value() != encryptor.encrypt(true).value(), "two encryptions of 1 differ");
  check(decryptor.decrypt(one) && !decryptor.decrypt(zero), "both decrypt to what went in");

  // Gates take ciphertexts and give ciphertexts. Nobody who computes them learns a bit.
  std::cout << "gates on an encrypted 1 and an encrypted 0\n";
  check(!decryptor.decrypt(evaluator.and_gate(one, zero)), "1 and 0 = 0");
  check(decryptor.decrypt(evaluator.or_gate(one, zero)), "1 or 0 = 1");
  check(decryptor.decrypt(evaluator.xor_gate(one, zero)), "1 xor 0 = 1");
  check(!decryptor.decrypt(evaluator.not_gate(one)), "not 1 = 0");
  check(!decryptor.decrypt(evaluator.mux_gate(zero, one, zero)), "0 ? 1 : 0 = 0");

  // Results are operands like any others, to any depth: here the parity and the conjunction of a
  // batch of bits, which is encrypted faster at once than bit by bit.
  const std::vector<bool> bits{true, true, false, true, true};
  fhe::Ciphertext parity = evaluator.constant(false);
  fhe::Ciphertext all = evaluator.constant(true);
  for (const fhe::Ciphertext& bit : encryptor.encrypt(bits)) {
    parity = evaluator.xor_gate(parity, bit);
    all = evaluator.and_gate(all, bit);
  }
  std::cout << "folding the bits 11011\n";
  check(!decryptor.decrypt(parity), "their parity is 0");
  check(!decryptor.decrypt(all), "not all of them are 1");

  // Multiplying makes noise, and the evaluator took it away when it grew too large: example 2.
  const fhe::GateCounts counts = evaluator.counts();
  std::cout << counts.gates << " gates took " << counts.products << " products and "
            << counts.recryptions << " recryptions\n";
}
