// SPDX-License-Identifier: Apache-2.0
// A CNT public key on a backend: encryption and recryption. Not installed.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "libfhe/scheme/adder/adder.hpp"
#include "libfhe/scheme/cnt/public_material.hpp"
#include "libfhe/scheme/key_context_of.hpp"

namespace fhe::cnt {

class CntKeyContext final : public KeyContextOf<CntPublicMaterial> {
 public:
  CntKeyContext(const std::shared_ptr<const CntPublicMaterial>& key, KeyId id,
                const BackendPtr& backend, const RecryptOptions& options);

  // c = m + 2r + 2 sum_{i=1..tau} b_i x_i mod x0, r uniform in (-2^rho', 2^rho'), b_i uniform in
  // [0, 2^alpha) (sparse: uniform of weight 15). The factor 2 of r and of the sum keeps the parity
  // of the noise equal to m.
  [[nodiscard]] std::vector<Ciphertext> encrypt(const std::vector<bool>& bits,
                                                const EncryptOptions& options, SecretRandom& random,
                                                const Monitor& monitor) const override;

  [[nodiscard]] std::vector<Ciphertext> recrypt_all(const std::vector<Ciphertext>& cs,
                                                    const Monitor& monitor) const override;

 private:
  [[nodiscard]] std::vector<Integer> random_sums(std::size_t count, const EncryptOptions& options,
                                                 SecretRandom& random,
                                                 const Monitor& monitor) const;

  std::optional<AdderProgram> adder_;  // none: by digits
};

}  // namespace fhe::cnt
