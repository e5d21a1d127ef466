// SPDX-License-Identifier: Apache-2.0
// The compressed public key of batch DGHV and its file sections. Not installed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "libfhe/scheme/adder/adder.hpp"
#include "libfhe/scheme/bdghv/parameters.hpp"
#include "libfhe/scheme/dghv/squash.hpp"
#include "libfhe/scheme/key_context_of.hpp"
#include "libfhe/scheme/scheme.hpp"

namespace fhe::bdghv {

// Elements whose residue modulo p_j is what follows, each a public integer of the stream less its
// correction (dghv/compression.hpp).
struct Elements {
  std::vector<Integer> x;      // x_1, ..., x_tau: 2 r_ij,                  |2 r_ij| < 2^rho'
  std::vector<Integer> units;  // x'_0, ..., x'_(l-1): 2 r'_ij + [i=j],     |r'_ij| < 2^rho
  std::vector<Integer> noise;  // Pi_0, ..., Pi_(l-1): 2 w_ij + [i=j] 2^(rho'+1), |w_ij| < 2^rho
};

// A permutation zeta of the slots and the corrections of sigma_i^zeta: these encrypt in slot j what
// sigma_i encrypts in slot zeta(j).
struct PermutedKeyBits {
  std::vector<SlotPermutation> permutations;
  std::vector<Integer> sigma;  // key_bits() for each permutation, one after the other
};

class BdghvPublicMaterial final : public PublicMaterial {
 public:
  BdghvPublicMaterial(Parameters parameters, Integer x0, Elements elements,
                      dghv::SquashedKey squashed, PermutedKeyBits permuted);

  // Throws Error(malformed_file) when a value is impossible.
  static std::shared_ptr<const BdghvPublicMaterial> read(const Parameters& parameters,
                                                         ContainerReader& in);

  [[nodiscard]] const Integer& modulus() const override { return x0_; }
  [[nodiscard]] std::size_t slots() const override { return parameters_.slots; }
  [[nodiscard]] std::optional<std::string> flaw() const override;
  void write(SectionWriter& out) const override;
  [[nodiscard]] std::size_t section_count() const override;
  // Bytes of what `write` writes without permutations, section by section.
  static std::vector<std::uint64_t> section_bytes(const Parameters& parameters);
  [[nodiscard]] std::shared_ptr<const KeyContext> make_context(
      std::shared_ptr<const PublicMaterial> self, const KeyId& id, const BackendPtr& backend,
      const RecryptOptions& options) const override;

  [[nodiscard]] const Parameters& parameters() const { return parameters_; }
  [[nodiscard]] const Elements& elements() const { return elements_; }
  [[nodiscard]] const dghv::SquashedKey& squashed() const { return squashed_; }
  [[nodiscard]] std::span<const SlotPermutation> permutations() const {
    return permuted_.permutations;
  }
  // The corrections of one permutation.
  [[nodiscard]] std::span<const Integer> permuted_sigma(std::size_t permutation) const;

 private:
  Parameters parameters_;
  Integer x0_;
  Elements elements_;
  dghv::SquashedKey squashed_;
  PermutedKeyBits permuted_;
};

// The integers that are corrected, under a seed: of x_i, x'_i, Pi_i, and of the key bits of a
// permutation.
PublicStream x_stream(const Parameters& parameters, const StreamSeed& seed);
PublicStream unit_stream(const Parameters& parameters, const StreamSeed& seed);
PublicStream noise_stream(const Parameters& parameters, const StreamSeed& seed);
PublicStream permuted_stream(const Parameters& parameters, const StreamSeed& seed,
                             std::size_t permutation);

// Key generation of batch DGHV (ePrint 2013/036, section 4 and 5).
//
// 1. p_0, ..., p_(l-1), q0, x0 = q0 prod p_j;  2. the x_i, x'_i and Pi_i;  3. an s_j with one 1 per
// block for each slot, u_0, ..., u_(l-1) solved;  4. sigma_i encrypts (s_0i, ..., s_(l-1)i), and
// once more for each permutation. All secrets come from `random`, the chi and u from the public
// `seed` alone.
KeyMaterial generate_keys(const Parameters& parameters,
                          std::span<const SlotPermutation> permutations, const Backend& backend,
                          const StreamSeed& seed, SecretRandom& random, const Monitor& monitor);

// A batch DGHV public key on a backend: encryption and recryption of all slots.
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
