// SPDX-License-Identifier: Apache-2.0
// An encrypted bit: an integer modulo the key's modulus, the id of the key, and a noise bound.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/export.hpp"
#include "libfhe/scheme/noise.hpp"
#include "libfhe/storage/digest.hpp"

namespace fhe {

// Which key an object is or belongs to. Objects of different keys never mix.
struct FHE_EXPORT KeyId {
  std::string parameters;  // name of the parameter group
  Digest digest{};         // libfhe/storage/FORMAT.md, "Key id"
  bool test_key = false;   // made from deterministic test secrets: worthless as protection

  // For messages: "cnt-toy key 3f9a01bc", or "cnt-toy test key 3f9a01bc".
  [[nodiscard]] std::string text() const;

  friend bool operator==(const KeyId&, const KeyId&) = default;
};

// Throws Error(wrong_key), naming both keys, unless they are equal. `what` names the object that
// belongs to `actual`: "this ciphertext", "the secret key", ... Throws Error(invalid_argument) for
// one that was moved from, which belongs to no key.
FHE_EXPORT void require_same_key(const KeyId& expected, const KeyId& actual, std::string_view what);

// An encrypted bit. A value; copying copies the integer. Malleable by design, and without
// integrity: authenticate ciphertexts that you store or send.
class FHE_EXPORT Ciphertext {
 public:
  // Requires value >= 0; that it is below the key's modulus is checked when it meets the key.
  Ciphertext(Integer value, NoiseBound noise, KeyId key)
      : value_(std::move(value)), noise_(noise), key_(std::move(key)) {}

  // The integer, the bound that is claimed for its noise, and the key that it belongs to.
  [[nodiscard]] const Integer& value() const { return value_; }
  [[nodiscard]] NoiseBound noise() const { return noise_; }
  [[nodiscard]] const KeyId& key() const { return key_; }

 private:
  Integer value_;
  NoiseBound noise_;
  KeyId key_;
};

// The bounds that ciphertexts claim for their noise.
[[nodiscard]] FHE_EXPORT std::vector<NoiseBound> noise_bounds(
    const std::vector<Ciphertext>& ciphertexts);

// Throws Error(wrong_key) unless c belongs to `key`, and Error(invalid_argument) unless its value
// is in [0, modulus): what every operation checks before it touches a ciphertext.
FHE_EXPORT void require_ciphertext_of(const KeyId& key, const Integer& modulus,
                                      const Ciphertext& c);

}  // namespace fhe
