// SPDX-License-Identifier: Apache-2.0
// Example 9: the owner of a key sends its own bits, compressed, to a server that computes on them.
#include <filesystem>
#include <iostream>
#include <vector>

#include "shared.hpp"
#include <libfhe/fhe.hpp>

using fhe::examples::check;
using fhe::examples::check_refused;

int main() {
  const std::filesystem::path folder = "fhe-example-09";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  const std::filesystem::path sent = folder / "sent.fhe";
  const std::filesystem::path answer = folder / "answer.fhe";

  // The owner has a secret key, and 32 bits of which it wants to know whether all are 1.
  const fhe::KeyPair keys = fhe::KeyGenerator(fhe::ParameterSet::named("cnt-toy")).generate();
  const std::vector<bool> bits(32, true);
  const fhe::SecretEncryptor encryptor(keys.secret_key);
  fhe::save(sent, encryptor.encrypt(bits), keys.secret_key);

  // What travels: a seed, and about 129 bytes a bit. Whole ciphertexts would be 18 kB each.
  const fhe::KeySizes sizes = fhe::sizes_of(keys.public_key.parameters()).value();
  std::cout << bits.size() << " bits in " << std::filesystem::file_size(sent)
            << " bytes instead of " << fhe::kCiphertextsFileBytes + bits.size() * sizes.ciphertext
            << "\n";
  check(std::filesystem::file_size(sent) ==
            fhe::kCompressedFileBytes + (bits.size() * *sizes.compressed_bits + 7) / 8,
        "a file of compressed ciphertexts has the size that is known beforehand");

  // The server has the public key. Loading makes whole ciphertexts; nothing else is different, but
  // that they have so little noise that all these products need no recryption.
  {
    const fhe::Evaluator evaluator(keys.public_key);
    const std::vector<fhe::Ciphertext> received = fhe::load_ciphertexts(sent, keys.public_key);
    fhe::Ciphertext all = received.front();
    for (std::size_t i = 1; i < received.size(); ++i) all = evaluator.and_gate(all, received[i]);
    std::cout << "noise in bits: " << received.front().noise().bits() << ", of the product "
              << all.noise().bits() << "\n";
    check(evaluator.counts().recryptions == 0, "31 products of the owner's bits, no recryption");
    fhe::save(answer, {evaluator.recrypt(all)}, keys.public_key);
  }

  check(fhe::Decryptor(keys.secret_key).decrypt(fhe::load_ciphertexts(answer, keys.secret_key)) ==
            std::vector<bool>{true},
        "the owner decrypts the answer: all bits are 1");

  // GH has no such form: an encryption by its owner is as long as any other.
  const fhe::KeyPair gh = fhe::KeyGenerator(fhe::ParameterSet::named("gh-mini")).generate();
  check_refused(fhe::ErrorCode::unsupported, "gh has no compressed ciphertexts",
                [&] { return fhe::SecretEncryptor(gh.secret_key).encrypt({true}).size(); });

  std::filesystem::remove_all(folder);
}
