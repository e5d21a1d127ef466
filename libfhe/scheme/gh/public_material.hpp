// SPDX-License-Identifier: Apache-2.0
// The public key of GH and its file sections. Not installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "libfhe/scheme/gh/parameters.hpp"
#include "libfhe/scheme/gh/squash.hpp"
#include "libfhe/scheme/scheme.hpp"

namespace fhe::gh {

// What is wrong with encrypted key bits: one is 0 or 1 or equal to another, which would tell it.
std::optional<std::string> key_bits_flaw(const std::vector<Integer>& eta);

// (d, r, x, eta). Integers go to and come from files one at a time: at n = 32768 they are 2.25 GB.
class GhPublicMaterial final : public PublicMaterial {
 public:
  GhPublicMaterial(Parameters parameters, Integer d, Integer r, SquashedKey squashed);

  // Throws Error(malformed_file) for a key with a flaw.
  static std::shared_ptr<const GhPublicMaterial> read(const Parameters& parameters,
                                                      ContainerReader& in);

  [[nodiscard]] const Integer& modulus() const override { return d_; }
  // d is not odd or not in range, r^n is not -1 mod d, a value is not in [0, d), or the eta have a
  // flaw. r^n takes log2(n) squarings on the default backend.
  [[nodiscard]] std::optional<std::string> flaw() const override;
  void write(SectionWriter& out) const override;
  [[nodiscard]] std::size_t section_count() const override { return 4; }
  // Bytes of what `write` writes, section by section, for a d of so many bits.
  static std::vector<std::uint64_t> section_bytes(const Parameters& parameters, std::size_t d_bits);
  [[nodiscard]] std::shared_ptr<const KeyContext> make_context(
      std::shared_ptr<const PublicMaterial> self, const KeyId& id, const BackendPtr& backend,
      const RecryptOptions& options) const override;

  [[nodiscard]] const Parameters& parameters() const { return parameters_; }
  [[nodiscard]] const Integer& r() const { return r_; }
  [[nodiscard]] const SquashedKey& squashed() const { return squashed_; }

 private:
  Parameters parameters_;
  Integer d_;
  Integer r_;
  SquashedKey squashed_;
};

}  // namespace fhe::gh
