// SPDX-License-Identifier: Apache-2.0
// What the key contexts of all schemes keep and answer alike. Not installed.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "libfhe/scheme/scheme.hpp"

namespace fhe {

// A public key of the type PublicKey, which has parameters(), on a backend.
template <class PublicKey>
class KeyContextOf : public KeyContext {
 public:
  [[nodiscard]] const Ring& ring() const final { return *ring_; }
  [[nodiscard]] const KeyId& id() const final { return id_; }
  [[nodiscard]] NoiseRule noise_rule() const final { return parameters().noise_rule(); }
  [[nodiscard]] NoiseBound fresh_noise() const final { return parameters().fresh_noise(); }
  [[nodiscard]] NoiseBound refreshed_noise() const final { return refreshed_noise_; }

 protected:
  // `refreshed_noise` is what recryption leaves.
  KeyContextOf(std::shared_ptr<const PublicKey> key, KeyId id, const BackendPtr& backend,
               NoiseBound refreshed_noise)
      : key_(std::move(key)),
        id_(std::move(id)),
        ring_(backend->ring(key_->modulus())),
        refreshed_noise_(refreshed_noise) {}

  // The values of ciphertexts, and recrypted ones from their values.
  [[nodiscard]] static std::vector<Integer> values_of(const std::vector<Ciphertext>& cs) {
    std::vector<Integer> values;
    values.reserve(cs.size());
    for (const Ciphertext& c : cs) values.push_back(c.value());
    return values;
  }
  [[nodiscard]] std::vector<Ciphertext> refreshed(std::vector<Integer> values) const {
    std::vector<Ciphertext> cs;
    cs.reserve(values.size());
    for (Integer& value : values) cs.emplace_back(std::move(value), refreshed_noise_, id_);
    return cs;
  }

  [[nodiscard]] const PublicKey& key() const { return *key_; }
  [[nodiscard]] const auto& parameters() const { return key_->parameters(); }
  [[nodiscard]] const std::shared_ptr<const Ring>& shared_ring() const { return ring_; }

 private:
  std::shared_ptr<const PublicKey> key_;
  KeyId id_;
  std::shared_ptr<const Ring> ring_;
  NoiseBound refreshed_noise_;
};

}  // namespace fhe
