// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/cnt/parameters.hpp"
#include "libfhe/scheme/cnt/public_material.hpp"
#include "libfhe/scheme/dghv/check.hpp"
#include "libfhe/scheme/dghv/scheme_base.hpp"
#include "libfhe/scheme/schemes.hpp"

namespace fhe::cnt {

namespace {

class CntScheme final : public dghv::SchemeBase<Parameters, CntPublicMaterial> {
 public:
  [[nodiscard]] std::string_view name() const override { return "cnt"; }

  void check(const ParameterSet& group) const override {
    if (group.makes_keys()) {
      static_cast<void>(Parameters(group));
    } else {
      static_cast<void>(EncryptionSizes(group));
    }
  }

  [[nodiscard]] KeyMaterial generate(const ParameterSet& group, const KeyOptions& /*options*/,
                                     const BackendPtr& backend, const StreamSeed& seed,
                                     SecretRandom& random, const Monitor& monitor) const override {
    return generate_keys(Parameters(group), *backend, seed, random, monitor);
  }

 private:
  [[nodiscard]] std::vector<KeyFinding> check_all_elements(const CntPublicMaterial& key,
                                                           const dghv::DghvSecretMaterial& secret,
                                                           const Backend& backend,
                                                           const Monitor& monitor) const override {
    const PublicStream chi = key.element_stream();
    return {dghv::check_elements("public elements", {chi, key.delta()}, secret, backend, monitor)};
  }
};

}  // namespace

const Scheme& scheme() {
  static const auto* const instance = new CntScheme;  // used until the end
  return *instance;
}

}  // namespace fhe::cnt
