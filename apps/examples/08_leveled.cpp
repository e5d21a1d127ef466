// SPDX-License-Identifier: Apache-2.0
// Example 8: multiplying without recryption, down a ladder of moduli.
//
// Switching from a secret prime of eta bits to one of eta' takes eta - eta' bits from the noise of
// a ciphertext, down to a floor, and as many from the room for it. It pays because a product has
// twice the bits of noise of its factors: a ladder of switches keeps the factors quiet, and the
// number of products in a row grows with eta instead of with its logarithm.
#include <cstddef>
#include <iostream>
#include <vector>

#include "shared.hpp"
#include <libfhe/fhe.hpp>
#include <libfhe/scheme/dghv/modulus_switch.hpp>

using fhe::Evaluator;
using fhe::RefreshPolicy;
using fhe::examples::check;

namespace {

// Every rung takes a few bits more than what a product of the quietest ciphertexts adds (about 23).
constexpr std::size_t kRungs = 14;
constexpr std::size_t kBitsPerRung = 30;

// The test function, once per level: (x, y) -> (x y + 1, y + 1), on any algebra.
template <class Algebra, class Bit>
void step(const Algebra& algebra, Bit& x, Bit& y) {
  x = algebra.not_gate(algebra.and_gate(x, y));
  y = algebra.not_gate(y);
}

// How many products in a row the key allows when nothing is done about noise.
std::size_t plain_depth(const Evaluator& evaluator, fhe::Ciphertext c) {
  for (std::size_t depth = 0;; ++depth) {
    try {
      c = evaluator.and_gate(c, c);
    } catch (const fhe::Error& error) {
      check(error.code() == fhe::ErrorCode::noise_exceeded, "the next product is refused");
      return depth;
    }
  }
}

}  // namespace

int main() {
  // CMNT's fresh ciphertexts have little noise. The smallest group keeps the switching keys small.
  const fhe::BackendPtr backend = fhe::open_backend();
  const fhe::ParameterSet group = fhe::ParameterSet::named("cmnt-mini");
  const fhe::KeyPair keys = fhe::KeyGenerator(group, backend).generate();
  const std::vector<fhe::Ciphertext> bits =
      fhe::Encryptor(keys.public_key, backend).encrypt(std::vector<bool>{true, true});
  const Evaluator on_top(keys.public_key, backend, RefreshPolicy::never());
  const std::size_t without = plain_depth(on_top, bits.front());
  std::cout << "without switching: " << without << " products in a row\n";

  // The owner makes the ladder; each rung has a key pair of its own and a public key to get there.
  std::vector<fhe::dghv::Rung> ladder;
  std::size_t eta = group.number("eta", 0, 1U << 20);
  for (std::size_t i = 0; i < kRungs; ++i) {
    eta -= kBitsPerRung;
    const fhe::SecretKey& from = i == 0 ? keys.secret_key : ladder.back().secret_key;
    ladder.push_back(fhe::dghv::make_rung(from, {.eta = eta, .Theta = 30}, backend));
  }

  // Anybody can go down with the public keys: multiply, switch, multiply, switch, ...
  fhe::Ciphertext x = bits[0];
  fhe::Ciphertext y = bits[1];
  bool plain_x = true;
  bool plain_y = true;
  const fhe::PlainBits plain;
  step(on_top, x, y);
  step(plain, plain_x, plain_y);
  for (const fhe::dghv::Rung& rung : ladder) {
    x = rung.switch_key.apply(x, backend);
    y = rung.switch_key.apply(y, backend);
    const Evaluator on_rung(rung.public_key, backend, RefreshPolicy::never());
    std::cout << "rung: room for " << on_rung.noise_rule().decrypt_limit.bits() << " bits, noise "
              << x.noise().bits();
    step(on_rung, x, y);
    std::cout << ", after the product " << x.noise().bits() << '\n';
    step(plain, plain_x, plain_y);
    const fhe::Decryptor decryptor(rung.secret_key);
    check(decryptor.decrypt(x) == plain_x && decryptor.decrypt(y) == plain_y &&
              on_rung.counts().recryptions == 0,
          "the right bits, without recryption");
  }
  std::cout << "with switching: " << kRungs + 1 << " products in a row\n";
  check(kRungs + 1 > without, "more products in a row than without switching");
}
