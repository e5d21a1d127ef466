// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/ciphertext.hpp"

#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/held.hpp"

namespace fhe {

std::string KeyId::text() const {
  return fmt::format("{} {}key {}", parameters, test_key ? "test " : "", to_hex(digest, 4));
}

void require_same_key(const KeyId& expected, const KeyId& actual, std::string_view what) {
  if (actual.parameters.empty()) throw_moved_from(what);
  if (expected.parameters.empty()) throw_moved_from("one of the objects");
  if (expected == actual) return;
  throw Error(ErrorCode::wrong_key,
              fmt::format("{} belongs to {}, not to {}; use objects of one key pair", what,
                          actual.text(), expected.text()));
}

std::vector<NoiseBound> noise_bounds(const std::vector<Ciphertext>& ciphertexts) {
  std::vector<NoiseBound> bounds;
  bounds.reserve(ciphertexts.size());
  for (const Ciphertext& c : ciphertexts) bounds.push_back(c.noise());
  return bounds;
}

void require_ciphertext_of(const KeyId& key, const Integer& modulus, const Ciphertext& c) {
  require_same_key(key, c.key(), "this ciphertext");
  if (c.value() >= 0 && c.value() < modulus) return;
  throw Error(
      ErrorCode::invalid_argument,
      "the ciphertext is not below the key's modulus: it was altered or is not of this key");
}

}  // namespace fhe
