// SPDX-License-Identifier: Apache-2.0
// Example 3: keys and ciphertexts in files, and what becomes of a damaged one.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <vector>

#include "shared.hpp"
#include <libfhe/fhe.hpp>

using fhe::examples::check;
using fhe::examples::check_refused;

int main() {
  // A folder of its own where the program is started. When a check fails it stays for inspection.
  const std::filesystem::path folder = "fhe-example-03";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  const std::filesystem::path public_path = folder / "public.fhe";
  const std::filesystem::path secret_path = folder / "secret.fhe";
  const std::filesystem::path bits_path = folder / "bits.fhe";
  const std::vector<bool> bits{true, false, true, true};

  // The owner: both keys in one step, both files or neither. The secret file is readable by its
  // owner only, and not encrypted.
  fhe::save(public_path, secret_path,
            fhe::KeyGenerator(fhe::ParameterSet::named("cnt-toy")).generate());

  // The sender has the public file only.
  {
    const fhe::PublicKey key = fhe::load_public_key(public_path);
    fhe::save(bits_path, fhe::Encryptor(key).encrypt(bits), key);
  }

  // A file says what it is without any key.
  for (const auto& path : {public_path, secret_path, bits_path}) {
    const fhe::FileSummary summary = fhe::summarize(path);
    std::cout << path.filename().string() << ": " << summary.file_bytes << " bytes, "
              << summary.sections.size() << " sections, " << summary.noise.size()
              << " ciphertexts\n";
  }

  // The worker computes on the file; the owner decrypts.
  const fhe::PublicKey key = fhe::load_public_key(public_path);
  std::vector<fhe::Ciphertext> flipped;
  for (const fhe::Ciphertext& c : fhe::load_ciphertexts(bits_path, key)) {
    flipped.push_back(fhe::Evaluator(key).not_gate(c));
  }
  fhe::save(bits_path, flipped, key);
  const fhe::SecretKey secret = fhe::load_secret_key(secret_path);
  check(fhe::Decryptor(secret).decrypt(fhe::load_ciphertexts(bits_path, secret)) ==
            std::vector<bool>{false, true, false, false},
        "not 1011 = 0100, by way of files");

  // Errors have a code to branch on and a sentence to show; loading gives all or nothing. A file
  // in which one byte was changed:
  {
    std::fstream file(bits_path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(1000);
    const int byte = file.get();
    file.seekp(1000);
    file.put(static_cast<char>(byte ^ 1));
  }
  const auto load_bits = [&] { return fhe::load_ciphertexts(bits_path, key); };
  check_refused(fhe::ErrorCode::malformed_file, "a changed byte is found", load_bits);

  // One that was cut off, one that is missing, and one of another key. (The checksums find
  // accidents. They are no protection against forgery: authenticate what you store or send.)
  std::filesystem::resize_file(bits_path, 2000);
  check_refused(fhe::ErrorCode::malformed_file, "a missing end is found", load_bits);
  std::filesystem::remove(bits_path);
  check_refused(fhe::ErrorCode::io, "a missing file is an error of another code", load_bits);
  const fhe::KeyPair other = fhe::KeyGenerator(fhe::ParameterSet::named("cnt-toy")).generate();
  fhe::save(bits_path, fhe::Encryptor(other.public_key).encrypt(bits), other.public_key);
  check_refused(fhe::ErrorCode::wrong_key, "another key's ciphertexts are refused", load_bits);

  std::filesystem::remove_all(folder);
}
