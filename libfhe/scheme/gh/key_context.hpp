// SPDX-License-Identifier: Apache-2.0
// A GH public key on a backend: encryption and recryption. Not installed.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "libfhe/scheme/adder/adder.hpp"
#include "libfhe/scheme/gh/powers.hpp"
#include "libfhe/scheme/gh/public_material.hpp"
#include "libfhe/scheme/gh/squash.hpp"
#include "libfhe/scheme/key_context_of.hpp"

namespace fhe::gh {

class GhKeyContext final : public KeyContextOf<GhPublicMaterial> {
 public:
  GhKeyContext(const std::shared_ptr<const GhPublicMaterial>& key, KeyId id,
               const BackendPtr& backend, const RecryptOptions& options);

  // c = b + 2 u(r) mod d, u with exactly h coefficients +-1. Throws Error(unsupported) for sparse
  // weights.
  [[nodiscard]] std::vector<Ciphertext> encrypt(const std::vector<bool>& bits,
                                                const EncryptOptions& options, SecretRandom& random,
                                                const Monitor& monitor) const override;

  // Makes the table of powers of r (powers.hpp: time and memory). Encryption makes it by itself
  // when it pays: with the 5th, 2nd, 3rd and 5th bit at n = 512, 2048, 8192 and 32768.
  void prepare_encryption(const Monitor& monitor) const override { powers_.make_table(monitor); }

  [[nodiscard]] std::vector<Ciphertext> recrypt_all(const std::vector<Ciphertext>& cs,
                                                    const Monitor& monitor) const override;

 private:
  // What recryption needs of the key, kept where the ring computes from the first one on.
  [[nodiscard]] std::shared_ptr<const KeyOperands> kept_key() const;

  AdderProgram adder_;
  mutable PowerCache powers_;  // guarded by itself
  KeyOperands operands_;
  mutable std::mutex guard_;
  mutable std::shared_ptr<const KeyOperands> kept_;
};

}  // namespace fhe::gh
