// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/gh/scheme.hpp"

#include "libfhe/scheme/gh/check.hpp"
#include "libfhe/scheme/gh/key_generation.hpp"
#include "libfhe/scheme/gh/parameters.hpp"
#include "libfhe/scheme/gh/public_material.hpp"
#include "libfhe/scheme/gh/recrypt.hpp"
#include "libfhe/scheme/gh/secret_material.hpp"

namespace fhe::gh {

namespace {

class GhScheme final : public Scheme {
 public:
  [[nodiscard]] std::string_view name() const override { return "gh"; }

  [[nodiscard]] std::vector<std::string_view> field_names() const override {
    return Parameters::field_names();
  }

  void check(const ParameterSet& group) const override { static_cast<void>(Parameters(group)); }

  [[nodiscard]] KeyShape shape(const ParameterSet& group) const override {
    const Parameters parameters(group);
    const std::size_t d_bits = parameters.typical_determinant_bits();
    return {.modulus_bits = d_bits,
            .same_for_all_keys = false,
            .public_sections = GhPublicMaterial::section_bytes(parameters, d_bits),
            .secret_sections = GhSecretMaterial::section_bytes(d_bits),
            .recryption_integers = recryption_integers(parameters, d_bits)};
  }

  [[nodiscard]] security::Problems problems(const ParameterSet& group) const override {
    return Parameters(group).problems();
  }

  [[nodiscard]] KeyMaterial generate(const ParameterSet& group, const KeyOptions& /*options*/,
                                     const BackendPtr& backend, const StreamSeed& seed,
                                     SecretRandom& random, const Monitor& monitor) const override {
    return generate_keys(Parameters(group), backend, seed, random, monitor);
  }

  [[nodiscard]] std::shared_ptr<const PublicMaterial> read_public(
      const ParameterSet& group, ContainerReader& in) const override {
    return GhPublicMaterial::read(Parameters(group), in);
  }

  [[nodiscard]] std::unique_ptr<const SecretMaterial> read_secret(
      const ParameterSet& group, ContainerReader& in) const override {
    return GhSecretMaterial::read(Parameters(group), in);
  }

  // Readers check all that can be known of it alone.
  [[nodiscard]] std::vector<KeyFinding> check_secret(const SecretMaterial&) const override {
    return {};
  }

  [[nodiscard]] std::vector<KeyFinding> check_pair(const PublicMaterial& key,
                                                   const SecretMaterial& secret,
                                                   const BackendPtr& backend,
                                                   const Monitor& monitor) const override {
    return check_squashed(dynamic_cast<const GhPublicMaterial&>(key),
                          dynamic_cast<const GhSecretMaterial&>(secret), *backend, monitor);
  }
};

}  // namespace

const Scheme& scheme() {
  static const auto* const instance = new GhScheme;  // used until the end
  return *instance;
}

}  // namespace fhe::gh
