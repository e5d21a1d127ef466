// SPDX-License-Identifier: Apache-2.0
// What the schemes of the DGHV family do alike, each with its own parameters and public key. Not
// installed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "libfhe/scheme/dghv/check.hpp"
#include "libfhe/scheme/dghv/recrypt.hpp"
#include "libfhe/scheme/dghv/rung_material.hpp"
#include "libfhe/scheme/dghv/secret_material.hpp"
#include "libfhe/scheme/scheme.hpp"

namespace fhe::dghv {

template <class OwnParameters, class OwnPublicMaterial>
class SchemeBase : public Scheme {
 public:
  [[nodiscard]] std::vector<std::string_view> field_names() const override {
    return OwnParameters::field_names();
  }

  [[nodiscard]] KeyShape shape(const ParameterSet& group) const override {
    const OwnParameters parameters(group);
    return {.slots = parameters.slots,
            .modulus_bits = parameters.gamma,
            .public_sections = OwnPublicMaterial::section_bytes(parameters),
            .secret_sections = DghvSecretMaterial::section_bytes(parameters),
            .recryption_integers = integers_of_recryption(parameters)};
  }

  [[nodiscard]] security::Problems problems(const ParameterSet& group) const override {
    return OwnParameters(group).problems();
  }

  [[nodiscard]] std::optional<CompressedForm> compressed_form(
      const ParameterSet& group) const override {
    const OwnParameters parameters(group);
    return CompressedForm{.element_bits = parameters.gamma,
                          .correction_bits = parameters.correction_bits()};
  }

  [[nodiscard]] std::shared_ptr<const PublicMaterial> read_public(
      const ParameterSet& group, ContainerReader& in) const override {
    if (is_of_rung(in)) return RungPublic::read(OwnParameters(group), in);
    return OwnPublicMaterial::read(OwnParameters(group), in);
  }

  [[nodiscard]] std::unique_ptr<const SecretMaterial> read_secret(
      const ParameterSet& group, ContainerReader& in) const override {
    if (is_of_rung(in)) return RungSecret::read(OwnParameters(group), in);
    return DghvSecretMaterial::read(OwnParameters(group), in);
  }

  [[nodiscard]] std::vector<KeyFinding> check_secret(const SecretMaterial& secret) const override {
    std::vector<KeyFinding> findings{check_prime(dynamic_cast<const PrimeSecret&>(secret))};
    const auto* own = dynamic_cast<const DghvSecretMaterial*>(&secret);  // null for that of a rung
    if (own != nullptr && own->parameters().special) findings.push_back(check_rough(*own));
    return findings;
  }

  [[nodiscard]] std::vector<KeyFinding> check_pair(const PublicMaterial& material,
                                                   const SecretMaterial& secret_material,
                                                   const BackendPtr& backend,
                                                   const Monitor& monitor) const override {
    if (dynamic_cast<const RungPublic*>(&material) != nullptr) return {};
    const auto& key = dynamic_cast<const OwnPublicMaterial&>(material);
    const auto& secret = dynamic_cast<const DghvSecretMaterial&>(secret_material);
    std::vector<KeyFinding> findings = check_squashed(key.squashed(), secret, *backend, monitor);
    std::ranges::move(check_all_elements(key, secret, *backend, monitor),
                      std::back_inserter(findings));
    return findings;
  }

 private:
  // As KeyShape::recryption_integers.
  [[nodiscard]] virtual std::size_t integers_of_recryption(const OwnParameters& parameters) const {
    return recryption_integers(parameters);
  }

  // check_elements() of every list of public elements.
  [[nodiscard]] virtual std::vector<KeyFinding> check_all_elements(
      const OwnPublicMaterial& key, const DghvSecretMaterial& secret, const Backend& backend,
      const Monitor& monitor) const = 0;
};

}  // namespace fhe::dghv
