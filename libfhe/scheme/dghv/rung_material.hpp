// SPDX-License-Identifier: Apache-2.0
// The key pairs that modulus switching leads to: a prime and a modulus, without anything to encrypt
// or recrypt with. In files they have a section `rung` (libfhe/storage/FORMAT.md). Not installed.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "libfhe/scheme/dghv/parameters.hpp"
#include "libfhe/scheme/dghv/secret_material.hpp"
#include "libfhe/scheme/scheme.hpp"
#include "libfhe/storage/container.hpp"

namespace fhe::dghv {

// The fewest bits of the prime of a rung in this group.
[[nodiscard]] std::size_t smallest_rung_eta(std::size_t rho);

// Whether the key that is read is that of a rung.
[[nodiscard]] bool is_of_rung(const ContainerReader& in);

// The secret key of a rung: p' alone. `parameters` are those of the group, with eta that of p'.
class RungSecret final : public PrimeSecret {
 public:
  RungSecret(Parameters parameters, SecretPrimes primes, Integer x0);

  // Throws Error(malformed_file).
  static std::unique_ptr<const RungSecret> read(const Parameters& group, ContainerReader& in);

  [[nodiscard]] NoiseRule noise_rule() const override;
  [[nodiscard]] std::optional<std::string> flaw() const override;
  void write(SectionWriter& out) const override;
  [[nodiscard]] std::size_t section_count() const override { return 3; }

  [[nodiscard]] const Parameters& parameters() const { return parameters_; }

 private:
  Parameters parameters_;
};

// The public key of a rung: the modulus. It computes, and neither encrypts nor recrypts.
class RungPublic final : public PublicMaterial {
 public:
  RungPublic(Parameters parameters, Integer x0);

  // Throws Error(malformed_file).
  static std::shared_ptr<const RungPublic> read(const Parameters& group, ContainerReader& in);

  [[nodiscard]] const Integer& modulus() const override { return x0_; }
  [[nodiscard]] std::optional<std::string> flaw() const override;
  void write(SectionWriter& out) const override;
  [[nodiscard]] std::size_t section_count() const override { return 2; }
  [[nodiscard]] std::shared_ptr<const KeyContext> make_context(
      std::shared_ptr<const PublicMaterial> self, const KeyId& id, const BackendPtr& backend,
      const RecryptOptions& options) const override;

  [[nodiscard]] const Parameters& parameters() const { return parameters_; }

 private:
  Parameters parameters_;
  Integer x0_;
};

}  // namespace fhe::dghv
