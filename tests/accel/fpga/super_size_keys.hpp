// Encryptions as the library makes them, for super_size_encrypt, and the published clocks of one.
#pragma once

#include <cstddef>
#include <string>

#include "libfhe/random/buffered_random.hpp"
#include "libfhe/random/secret_integers.hpp"
#include "tests/accel/fpga/super_size.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/key_fixtures.hpp"

namespace fhe::test {

// What the library draws for an encryption of 1 from this seed, and the ciphertext that it makes.
struct LibraryEncryption {
  Encryption encryption;
  Integer ciphertext;
};

inline LibraryEncryption cnt_encryption(const std::string& group) {
  const KeyPair& keys = test_keys(group);
  const cnt::PublicKey& open = cnt_part(keys.public_key);
  const cnt::Parameters& p = open.parameters();
  TestRandom source("hardware");
  BufferedRandom random(source);
  Encryption e{.modulus = open.modulus(), .element_bits = p.gamma, .weight_bits = p.alpha};
  e.elements = public_elements(open);
  for (std::size_t i = 0; i < p.tau; ++i) e.weights.push_back(uniform_bits(random, p.alpha));
  e.noise = uniform_centered(random, p.rho_prime);
  e.message = true;
  return {e, test_encryptor(keys, "hardware").encrypt(true).value()};
}

// The nested form, sum of x_i0 (sum of b_ij x_j1).
inline LibraryEncryption cmnt_encryption(const std::string& group) {
  const KeyPair& keys = test_keys(group);
  const cmnt::PublicKey& open = cmnt_part(keys.public_key);
  const cmnt::Parameters& p = open.parameters();
  TestRandom source("hardware");
  BufferedRandom random(source);
  Encryption e{.modulus = open.modulus(), .element_bits = p.gamma, .weight_bits = p.alpha};
  const auto columns = open.columns().elements();
  e.elements.assign(columns.begin(), columns.end());
  e.factors.assign(open.rows().begin(), open.rows().end());
  for (std::size_t i = 0; i < p.beta * p.beta; ++i) {
    e.weights.push_back(uniform_bits(random, p.alpha));
  }
  e.noise = uniform_centered(random, p.rho_prime);
  e.message = true;
  return {e, test_encryptor(keys, "hardware").encrypt(true).value()};
}

// The same with the products of pairs made beforehand.
inline Encryption of_pairs(const Encryption& nested) {
  Encryption e = nested;
  e.elements.clear();
  e.factors.clear();
  for (const Integer& factor : nested.factors) {
    for (const Integer& element : nested.elements) {
      e.elements.push_back(factor * element % nested.modulus);
    }
  }
  return e;
}

// Of theta + 2 products, as the paper counts them: 8 X Y and the fill of the pipeline, on average.
inline void check_published(const SuperSizeShape& shape, const SuperSizeResult& result,
                            const Encryption& e, std::size_t tolerance) {
  const std::size_t blocks = shape.blocks(e.element_bits, e.weight_bits);
  INFO(result.clocks << " clocks, " << e.count() << " terms of " << blocks);
  CHECK(result.clocks >= e.count() * (blocks + 9));
  CHECK(result.clocks <= (e.count() + 2) * (blocks + shape.published_fill() + tolerance));
}

template <class Model>
void check_cnt(SuperSizeMachine<Model>& machine, const std::string& group,
               const SuperSizeOptions& options) {
  const LibraryEncryption cnt = cnt_encryption(group);
  const SuperSizeResult result = machine.encrypt(cnt.encryption, options);
  CHECK(result.value == cnt.ciphertext);
  check_published(machine.shape(), result, cnt.encryption, 40);
}

// With the products of pairs made beforehand, as in the published clocks.
template <class Model>
void check_cmnt(SuperSizeMachine<Model>& machine, const std::string& group,
                const SuperSizeOptions& options) {
  const LibraryEncryption cmnt = cmnt_encryption(group);
  const Encryption pairs = of_pairs(cmnt.encryption);
  const SuperSizeResult result = machine.encrypt(pairs, options);
  CHECK(result.value == cmnt.ciphertext);
  check_published(machine.shape(), result, pairs, 105);
}

}  // namespace fhe::test
