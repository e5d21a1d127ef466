// SPDX-License-Identifier: Apache-2.0
// Encryptions of CNT and CMNT by their parts, as the hardware takes them, and those of the library.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/random/buffered_random.hpp"
#include "libfhe/secret/integers.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/oracle.hpp"

namespace fhe::test {

// C = m + 2 r + 2 sum x_i b_i mod x0, or sum x_i1 sum b_ij x_j0 for sum x_i b_i.
struct Encryption {
  Integer modulus;
  std::size_t element_bits = 0;  // those of the modulus
  std::size_t weight_bits = 0;
  std::vector<Integer> elements{};  // x_i, or x_j0
  std::vector<Integer> weights{};   // b_i, or b_ij row by row
  std::vector<Integer> factors{};   // x_i1 of the nested form, which has any
  Integer noise{};
  bool message = false;

  [[nodiscard]] bool nested() const { return !factors.empty(); }
  [[nodiscard]] std::size_t count() const { return elements.size(); }
  [[nodiscard]] std::size_t count_bits() const { return bit_length(Integer(count())); }
  [[nodiscard]] std::size_t row_excess_bits() const { return weight_bits + count_bits(); }
  [[nodiscard]] std::size_t excess_bits() const {
    return (nested() ? element_bits : weight_bits) + count_bits() + 2;
  }

  [[nodiscard]] Integer sum() const {
    Integer sum;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const Integer term = elements[i % count()] * weights[i];
      sum += nested() ? Integer(term * factors[i / count()]) : term;
    }
    return sum;
  }
  [[nodiscard]] Integer doubled_sum() const { return (message ? 1 : 0) + 2 * (noise + sum()); }
  [[nodiscard]] Integer expected() const { return oracle::mod(doubled_sum(), modulus); }
};

// What the library draws for an encryption of 1 from this seed, and the ciphertext that it makes.
struct LibraryEncryption {
  Encryption encryption;
  Integer ciphertext;
};

inline LibraryEncryption cnt_encryption(const std::string& group) {
  const KeyPair& keys = test_keys(group);
  const cnt::CntPublicMaterial& open = cnt_part(keys.public_key);
  const cnt::Parameters& p = open.parameters();
  HedgedRandom source = test_encryption_draws(keys, {true}, "hardware");
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
  const cmnt::CmntPublicMaterial& open = cmnt_part(keys.public_key);
  const cmnt::Parameters& p = open.parameters();
  HedgedRandom source = test_encryption_draws(keys, {true}, "hardware");
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

}  // namespace fhe::test
