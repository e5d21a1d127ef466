// SPDX-License-Identifier: Apache-2.0
// Ciphertexts in a few hundred bytes each, which the owner of a secret key can make: whoever holds
// the key's modulus makes whole ones of them.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/error.hpp"
#include "libfhe/export.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/random/public_stream.hpp"
#include "libfhe/scheme/ciphertext.hpp"
#include "libfhe/scheme/noise.hpp"

namespace fhe {

// How a scheme compresses ciphertexts: c_i = chi_i - delta_i modulo the key's modulus, where chi_i
// comes from a public stream. Sizes in bits.
struct FHE_EXPORT CompressedForm {
  std::size_t element_bits = 0;     // of chi_i
  std::size_t correction_bits = 0;  // delta_i is in [0, 2^correction_bits)
};

// The Error(unsupported) of schemes that have no such form.
[[nodiscard]] FHE_EXPORT Error no_compressed_form();

// Encrypted bits of one key, made in one call of SecretEncryptor::encrypt. A value. Public, like
// every ciphertext, and as malleable.
class FHE_EXPORT CompressedCiphertexts {
 public:
  // chi_i is element i = 0, 1, ... of the stream StreamPurpose::ciphertexts under `seed`.
  CompressedCiphertexts(const StreamSeed& seed, std::vector<Integer> corrections, NoiseBound noise,
                        KeyId key)
      : seed_(seed), corrections_(std::move(corrections)), noise_(noise), key_(std::move(key)) {}

  // The number of ciphertexts.
  [[nodiscard]] std::size_t size() const { return corrections_.size(); }
  // The public seed, the corrections delta_i, the bound that is claimed for the noise of each, and
  // the key that they belong to.
  [[nodiscard]] const StreamSeed& seed() const { return seed_; }
  [[nodiscard]] const std::vector<Integer>& corrections() const { return corrections_; }
  [[nodiscard]] NoiseBound noise() const { return noise_; }
  [[nodiscard]] const KeyId& key() const { return key_; }

  // The whole ciphertexts, c_i in [0, modulus). Requires the form of the key's scheme and the key's
  // modulus, of form.element_bits bits; programs call expand() of keys.hpp. Throws
  // Error(invalid_argument) when a correction is not of the form, Error(stopped).
  [[nodiscard]] std::vector<Ciphertext> expand(const CompressedForm& form, const Integer& modulus,
                                               const Monitor& monitor) const;

 private:
  StreamSeed seed_;
  std::vector<Integer> corrections_;
  NoiseBound noise_;
  KeyId key_;
};

}  // namespace fhe
