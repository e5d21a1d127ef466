// SPDX-License-Identifier: Apache-2.0
// The public key of GH and its file sections. Not installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "libfhe/scheme/adder/adder.hpp"
#include "libfhe/scheme/gh/parameters.hpp"
#include "libfhe/scheme/gh/powers.hpp"
#include "libfhe/scheme/gh/squash.hpp"
#include "libfhe/scheme/key_context_of.hpp"
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

// A GH public key on a backend: encryption and recryption.
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
