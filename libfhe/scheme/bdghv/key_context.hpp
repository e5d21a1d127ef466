// SPDX-License-Identifier: Apache-2.0
// A batch DGHV public key on a backend: encryption and recryption of all slots. Not installed.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "libfhe/scheme/adder/adder.hpp"
#include "libfhe/scheme/bdghv/public_material.hpp"
#include "libfhe/scheme/key_context_of.hpp"

namespace fhe::bdghv {

class BdghvKeyContext final : public KeyContextOf<BdghvPublicMaterial> {
 public:
  BdghvKeyContext(const std::shared_ptr<const BdghvPublicMaterial>& key, KeyId id,
                  const BackendPtr& backend, const RecryptOptions& options);

  [[nodiscard]] std::size_t slots() const override { return parameters().slots; }

  // sum of x'_i over the slots i with a 1: for 32 rows the x'_i are generated once.
  [[nodiscard]] std::vector<Ciphertext> constants(std::span<const SlotBits> rows,
                                                  const Monitor& monitor) const override;

  // c = m + sum_{i<l} b'_i Pi_i + sum_{i=1..tau} b_i x_i mod x0, b_i and b'_i as Parameters says; 1
  // is 1 in every slot.
  [[nodiscard]] std::vector<Ciphertext> encrypt(const std::vector<bool>& bits,
                                                const EncryptOptions& options, SecretRandom& random,
                                                const Monitor& monitor) const override;

  [[nodiscard]] std::vector<Ciphertext> recrypt_all(const std::vector<Ciphertext>& cs,
                                                    const Monitor& monitor) const override;

  [[nodiscard]] std::span<const SlotPermutation> permutations() const override {
    return key().permutations();
  }
  [[nodiscard]] std::vector<Ciphertext> recrypt_permuted(const std::vector<Ciphertext>& cs,
                                                         std::size_t permutation,
                                                         const Monitor& monitor) const override;

 private:
  [[nodiscard]] std::vector<Integer> random_sums(std::size_t count, SecretRandom& random,
                                                 const Monitor& monitor) const;

  std::optional<AdderProgram> adder_;
};

}  // namespace fhe::bdghv
