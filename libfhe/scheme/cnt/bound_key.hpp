// A CNT public key on a backend: encryption and recryption. Not installed.
#pragma once

#include <memory>
#include <vector>

#include "libfhe/scheme/adder/adder.hpp"
#include "libfhe/scheme/cnt/public_key.hpp"
#include "libfhe/scheme/scheme.hpp"

namespace fhe::cnt {

class BoundKey final : public fhe::BoundKey {
 public:
  BoundKey(std::shared_ptr<const PublicKey> key, KeyId id, const BackendPtr& backend,
           const RecryptOptions& options);

  [[nodiscard]] const Ring& ring() const override { return *ring_; }
  [[nodiscard]] const KeyId& id() const override { return id_; }
  [[nodiscard]] NoiseRule noise_rule() const override { return parameters().noise_rule(); }
  [[nodiscard]] NoiseBound fresh_noise() const override { return parameters().fresh_noise(); }
  [[nodiscard]] NoiseBound refreshed_noise() const override { return refreshed_noise_; }

  // c = m + 2r + 2 sum_{i=1..tau} b_i x_i mod x0, r uniform in (-2^rho', 2^rho'), b_i uniform in
  // [0, 2^alpha) (sparse: uniform of weight 15). The factor 2 of r and of the sum keeps the parity
  // of the noise equal to m.
  [[nodiscard]] std::vector<Ciphertext> encrypt(const std::vector<bool>& bits,
                                                const EncryptOptions& options, SecretRandom& random,
                                                const Monitor& monitor) const override;

  [[nodiscard]] Ciphertext recrypt(const Ciphertext& c, const Monitor& monitor) const override;

 private:
  [[nodiscard]] const Parameters& parameters() const { return key_->parameters(); }
  [[nodiscard]] std::vector<Integer> random_sums(std::size_t count, const EncryptOptions& options,
                                                 SecretRandom& random,
                                                 const Monitor& monitor) const;

  std::shared_ptr<const PublicKey> key_;
  KeyId id_;
  std::shared_ptr<const Ring> ring_;
  AdderProgram adder_;
  NoiseBound refreshed_noise_;
};

}  // namespace fhe::cnt
