// SPDX-License-Identifier: Apache-2.0
// Writes a ladder of modulus switching, of new keys, into the current folder for verify.py:
//
//   fhe_verifier_ladder GROUP BIT...
//
// The keys at its top and an encryption of each bit (0.public, 0.secret, 0.ciphertexts), and for
// each rung i = 1, 2, ... its keys, the switching key to it and the switched ciphertexts. Prints
// the number of rungs.
#include <cstddef>
#include <exception>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "libfhe/fhe.hpp"
#include "libfhe/scheme/dghv/modulus_switch_files.hpp"

namespace {

using namespace fhe;

void save_keys(std::size_t rung, const PublicKey& public_key, const SecretKey& secret_key,
               const std::vector<Ciphertext>& ciphertexts) {
  save(fmt::format("{}.public", rung), public_key);
  save(fmt::format("{}.secret", rung), secret_key);
  save(fmt::format("{}.ciphertexts", rung), ciphertexts, public_key);
}

// Returns the number of rungs.
std::size_t write_ladder(const std::string& group, const std::vector<bool>& bits) {
  const BackendPtr backend = open_backend();
  auto [public_key, secret_key] = KeyGenerator(ParameterSet::named(group), backend).generate();
  std::vector<Ciphertext> ciphertexts = Encryptor(public_key, backend).encrypt(bits);
  save_keys(0, public_key, secret_key, ciphertexts);
  std::size_t rungs = 0;
  for (const std::size_t eta : {70U, 50U}) {
    dghv::Rung rung = dghv::make_rung(secret_key, {.eta = eta, .Theta = 30}, backend);
    ++rungs;
    save(fmt::format("{}.switch", rungs), rung.switch_key, public_key);
    for (Ciphertext& c : ciphertexts) c = rung.switch_key.apply(c, backend);
    public_key = std::move(rung.public_key);
    secret_key = std::move(rung.secret_key);
    save_keys(rungs, public_key, secret_key, ciphertexts);
  }
  return rungs;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    std::vector<bool> bits;
    for (std::size_t i = 1; i < arguments.size(); ++i) bits.push_back(arguments[i] == "1");
    fmt::print("{}\n", write_ladder(arguments.at(0), bits));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "fhe_verifier_ladder: {}\n", error.what());
    return 1;
  }
}
