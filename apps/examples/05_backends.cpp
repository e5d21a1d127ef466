// SPDX-License-Identifier: Apache-2.0
// Example 5: backends, the interchangeable arithmetic underneath.
//
// Every backend gives the same result to the last bit, so that they differ in nothing but speed.
// To show it, keys and encryption are made repeatable by test seeds, which mark them as worthless.
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "shared.hpp"
#include <libfhe/fhe.hpp>

using fhe::examples::check;

namespace {

// A key, two encrypted bits and the AND of them, everything computed on one backend.
fhe::Ciphertext encrypted_and(const fhe::BackendPtr& backend) {
  const fhe::KeyPair keys = fhe::KeyGenerator(fhe::ParameterSet::named("cnt-toy"), backend)
                                .generate(fhe::TestSeed{"backends"});
  const fhe::Encryptor encryptor(keys.public_key, backend,
                                 std::make_shared<fhe::TestRandom>("bits"));
  const fhe::Evaluator evaluator(keys.public_key, backend);
  const fhe::Ciphertext a = encryptor.encrypt(true);
  const fhe::Ciphertext b = encryptor.encrypt(true);

  // Counters only grow: what a piece of work took is the difference of two readings.
  const fhe::OperationCounts before = backend->counts();
  fhe::Ciphertext both = evaluator.and_gate(a, b);
  const fhe::OperationCounts took = backend->counts() - before;
  std::cout << "  the AND took " << took.multiplications << " products, " << took.reductions
            << " reductions and " << took.stream_bytes << " bytes of key stream\n";
  check(fhe::Decryptor(keys.secret_key).decrypt(both), "1 and 1 = 1");
  return both;
}

}  // namespace

int main() {
  // A program has the backends that are linked into it; one may add its own by register_backend.
  std::cout << "backends of this program:\n";
  for (const fhe::BackendFactory& factory : fhe::registered_backends()) {
    std::cout << "  " << factory.name << ": " << factory.summary << '\n';
  }
  std::cout << "open_backend() opens " << fhe::default_backend_name() << "\n\n";

  // Opening by name never falls back to another one.
  fhe::examples::check_refused(fhe::ErrorCode::unknown_name, "there is no backend \"abacus\"",
                               [] { return fhe::open_backend("abacus"); });

  // The reference (NTL over GMP), the engine of number-theoretic transforms, and the one that
  // chooses for each operation.
  std::optional<fhe::Ciphertext> reference;
  for (const std::string name : {"ntl", "solinas", "auto"}) {
    const fhe::BackendPtr backend = fhe::open_backend(name);
    std::cout << name << ": " << backend->info().description << '\n';
    const fhe::Ciphertext both = encrypted_and(backend);
    if (!reference) reference = both;
    check(both.key() == reference->key(), "the key is that of ntl");
    check(both.value() == reference->value() && both.noise() == reference->noise(),
          "the ciphertext is that of ntl, bit for bit");
  }
}
