// SPDX-License-Identifier: Apache-2.0
// New ciphertexts of the owner of a secret key, shorter than they are: everybody makes whole ones
// of them.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/export.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/random/public_stream.hpp"
#include "libfhe/scheme/ciphertext.hpp"
#include "libfhe/scheme/she/parameters.hpp"
#include "libfhe/scheme/she/slots.hpp"

namespace fhe::she {

// Ciphertexts of one key, made in one call of Encryptor::encrypt_compressed: c_i = chi_i - delta_i,
// where chi_i is public and comes from a seed, and the correction delta_i has l eta + lambda bits.
// A value. Public, like every ciphertext, and as malleable.
class FHE_EXPORT CompressedSlots {
 public:
  // chi_i is element i = 0, 1, ... of the stream StreamPurpose::ciphertexts under `seed`.
  CompressedSlots(const StreamSeed& seed, std::vector<Integer> corrections, KeyId key)
      : seed_(seed), corrections_(std::move(corrections)), key_(std::move(key)) {}

  // The number of ciphertexts.
  [[nodiscard]] std::size_t size() const { return corrections_.size(); }
  // The public seed, the corrections delta_i, and the key that they belong to.
  [[nodiscard]] const StreamSeed& seed() const { return seed_; }
  [[nodiscard]] const std::vector<Integer>& corrections() const { return corrections_; }
  [[nodiscard]] const KeyId& key() const { return key_; }

  // The whole ciphertexts, on all threads; they claim the noise of new ones. Requires the group of
  // the key. Throws Error(wrong_key) for a group of another name, Error(invalid_argument) when a
  // correction is longer than those of the group, Error(stopped).
  [[nodiscard]] std::vector<Slots> expand(const ParameterSet& group,
                                          const Monitor& monitor = {}) const;

 private:
  StreamSeed seed_;
  std::vector<Integer> corrections_;
  KeyId key_;
};

}  // namespace fhe::she
