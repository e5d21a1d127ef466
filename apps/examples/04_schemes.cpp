// SPDX-License-Identifier: Apache-2.0
// Example 4: one function, three schemes.
//
// A scheme is chosen by the name of a parameter group and nowhere else: keys, files, gates and
// circuits are the same for CNT, CMNT (integers) and GH (ideal lattices).
#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

#include "shared.hpp"
#include <libfhe/fhe.hpp>

namespace {

// A full adder: sum and carry of three bits.
std::vector<fhe::Ciphertext> full_adder(const fhe::Evaluator& evaluator, const fhe::Ciphertext& a,
                                        const fhe::Ciphertext& b, const fhe::Ciphertext& carry) {
  return {evaluator.xor_gate(evaluator.xor_gate(a, b), carry), evaluator.maj_gate(a, b, carry)};
}

// The sums of all eight inputs under a new key of the group, decrypted: 2 carry + sum for each.
std::vector<unsigned> table_under(const char* group) {
  const fhe::KeyPair keys = fhe::KeyGenerator(fhe::ParameterSet::named(group)).generate();
  const fhe::Encryptor encryptor(keys.public_key);
  const fhe::Evaluator evaluator(keys.public_key);
  const fhe::Decryptor decryptor(keys.secret_key);

  std::vector<unsigned> table;
  for (unsigned input = 0; input < 8; ++input) {
    const auto bits = encryptor.encrypt(fhe::bits_of(input, 3));
    const auto sum = full_adder(evaluator, bits[0], bits[1], bits[2]);
    table.push_back(static_cast<unsigned>(fhe::number_of(decryptor.decrypt(sum))));
  }

  const fhe::GateCounts counts = evaluator.counts();
  std::cout << group << ", scheme " << keys.public_key.parameters().scheme() << ":\n  "
            << "ciphertexts of " << fhe::ciphertext_bytes(keys.public_key.modulus()) << " bytes, "
            << counts.gates << " gates, " << counts.products << " products, " << counts.recryptions
            << " recryptions\n";
  return table;
}

}  // namespace

int main() {
  std::cout << "groups that make keys:";
  for (const std::string& name : fhe::ParameterSet::names()) {
    if (fhe::ParameterSet::named(name).makes_keys()) std::cout << ' ' << name;
  }
  std::cout << "\n\n";

  // The truth table of the adder: how many of the three bits are set.
  const std::vector<unsigned> expected{0, 1, 1, 2, 1, 2, 2, 3};

  // Fresh CNT ciphertexts are nearly as noisy as they may be, so their product needs recryptions;
  // the other two have room for a few products first. The bits are the same.
  for (const char* group : {"cnt-toy", "cmnt-toy", "gh-512"}) {
    fhe::examples::check(table_under(group) == expected, "the eight sums of three bits");
  }
}
