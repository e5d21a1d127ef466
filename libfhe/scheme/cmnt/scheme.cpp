// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/cmnt/parameters.hpp"
#include "libfhe/scheme/cmnt/product_recrypt.hpp"
#include "libfhe/scheme/cmnt/public_material.hpp"
#include "libfhe/scheme/dghv/check.hpp"
#include "libfhe/scheme/dghv/scheme_base.hpp"
#include "libfhe/scheme/schemes.hpp"

namespace fhe::cmnt {

namespace {

class CmntScheme final : public dghv::SchemeBase<Parameters, CmntPublicMaterial> {
 public:
  [[nodiscard]] std::string_view name() const override { return "cmnt"; }

  void check(const ParameterSet& group) const override { static_cast<void>(Parameters(group)); }

  [[nodiscard]] KeyMaterial generate(const ParameterSet& group, const KeyOptions& /*options*/,
                                     const BackendPtr& backend, const StreamSeed& seed,
                                     SecretRandom& random, const Monitor& monitor) const override {
    return generate_keys(Parameters(group), *backend, seed, random, monitor);
  }

 private:
  [[nodiscard]] std::size_t integers_of_recryption(const Parameters& parameters) const override {
    return parameters.form == dghv::SquashForm::product ? product_recryption_integers(parameters)
                                                        : dghv::recryption_integers(parameters);
  }

  [[nodiscard]] std::vector<KeyFinding> check_all_elements(const CmntPublicMaterial& key,
                                                           const dghv::DghvSecretMaterial& secret,
                                                           const Backend& backend,
                                                           const Monitor& monitor) const override {
    const StoredStream rows({key.rows().begin(), key.rows().end()}, key.parameters().gamma);
    return {
        dghv::check_elements("public elements x.0", {rows, {}}, secret, backend, monitor),
        dghv::check_elements("public elements x.1", {key.columns(), {}}, secret, backend, monitor)};
  }
};

}  // namespace

const Scheme& scheme() {
  static const auto* const instance = new CmntScheme;  // used until the end
  return *instance;
}

}  // namespace fhe::cmnt
