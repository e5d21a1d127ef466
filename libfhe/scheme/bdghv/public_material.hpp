// SPDX-License-Identifier: Apache-2.0
// The compressed public key of batch DGHV and its file sections. Not installed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "libfhe/scheme/bdghv/parameters.hpp"
#include "libfhe/scheme/dghv/squash.hpp"
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

}  // namespace fhe::bdghv
