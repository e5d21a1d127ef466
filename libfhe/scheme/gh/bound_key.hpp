// A GH public key on a backend: encryption and recryption. Not installed.
#pragma once

#include <memory>
#include <vector>

#include "libfhe/scheme/adder/adder.hpp"
#include "libfhe/scheme/gh/powers.hpp"
#include "libfhe/scheme/gh/public_key.hpp"
#include "libfhe/scheme/scheme.hpp"

namespace fhe::gh {

class BoundKey final : public fhe::BoundKey {
 public:
  BoundKey(std::shared_ptr<const PublicKey> key, KeyId id, const BackendPtr& backend,
           const RecryptOptions& options);

  [[nodiscard]] const Ring& ring() const override { return *ring_; }
  [[nodiscard]] const KeyId& id() const override { return id_; }
  [[nodiscard]] NoiseRule noise_rule() const override { return parameters().noise_rule(); }
  [[nodiscard]] NoiseBound fresh_noise() const override { return parameters().fresh_noise(); }
  [[nodiscard]] NoiseBound refreshed_noise() const override { return refreshed_noise_; }

  // c = b + 2 u(r) mod d, u with exactly h coefficients +-1. Throws Error(unsupported) for sparse
  // weights.
  [[nodiscard]] std::vector<Ciphertext> encrypt(const std::vector<bool>& bits,
                                                const EncryptOptions& options, SecretRandom& random,
                                                const Monitor& monitor) const override;

  // Makes the table of powers of r (powers.hpp: time and memory). Encryption makes it by itself
  // when it pays: with the 5th, 2nd, 3rd and 5th bit at n = 512, 2048, 8192 and 32768.
  void prepare_encryption(const Monitor& monitor) const override { powers_.make_table(monitor); }

  [[nodiscard]] Ciphertext recrypt(const Ciphertext& c, const Monitor& monitor) const override;

 private:
  [[nodiscard]] const Parameters& parameters() const { return key_->parameters(); }

  std::shared_ptr<const PublicKey> key_;
  KeyId id_;
  std::shared_ptr<const Ring> ring_;
  AdderProgram adder_;
  NoiseBound refreshed_noise_;
  mutable PowerCache powers_;  // guarded by itself
};

}  // namespace fhe::gh
