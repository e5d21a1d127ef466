// SPDX-License-Identifier: Apache-2.0
// A CMNT public key on a backend: encryption and recryption. Not installed.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "libfhe/scheme/adder/adder.hpp"
#include "libfhe/scheme/cmnt/public_material.hpp"
#include "libfhe/scheme/key_context_of.hpp"

namespace fhe::cmnt {

class CmntKeyContext final : public KeyContextOf<CmntPublicMaterial> {
 public:
  CmntKeyContext(const std::shared_ptr<const CmntPublicMaterial>& key, KeyId id,
                 const BackendPtr& backend, const RecryptOptions& options);

  // c = m + 2r + 2 sum_{i,j=1..beta} b_ij x_{i,0} x_{j,1} mod x0 with r uniform in
  // (-2^rho', 2^rho') and b_ij uniform in [0, 2^alpha), computed by rows:
  //
  //   sum_i x_{i,0} S_i,     S_i = sum_j b_ij x_{j,1} mod x0,
  //
  // beta^2 products alpha x gamma, beta products gamma x gamma, one long reduction. The S_i of a
  // batch are made in one pass over the x_{j,1}. Throws Error(unsupported) for sparse weights: with
  // alpha of 42 to 72 bits and beta^2 of them, they would save nothing.
  [[nodiscard]] std::vector<Ciphertext> encrypt(const std::vector<bool>& bits,
                                                const EncryptOptions& options, SecretRandom& random,
                                                const Monitor& monitor) const override;

  // Prepares the x_{i,0} for their products; the first encryption does it otherwise.
  void prepare_encryption(const Monitor& monitor) const override {
    monitor.throw_if_stopped();
    static_cast<void>(rows());
  }

  [[nodiscard]] std::vector<Ciphertext> recrypt_all(const std::vector<Ciphertext>& cs,
                                                    const Monitor& monitor) const override;

 private:
  // x_{i,0}, prepared when they are first needed.
  [[nodiscard]] const std::vector<Operand>& rows() const;
  [[nodiscard]] std::vector<Integer> random_sums(std::size_t count, SecretRandom& random,
                                                 const Monitor& monitor) const;

  std::optional<AdderProgram> adder_;  // none: by digits
  mutable std::once_flag rows_made_;
  mutable std::vector<Operand> rows_;
};

}  // namespace fhe::cmnt
