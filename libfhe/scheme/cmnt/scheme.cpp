#include "libfhe/scheme/cmnt/scheme.hpp"

#include "libfhe/scheme/cmnt/key_generation.hpp"
#include "libfhe/scheme/cmnt/parameters.hpp"
#include "libfhe/scheme/cmnt/public_key.hpp"
#include "libfhe/scheme/dghv/check.hpp"
#include "libfhe/scheme/dghv/secret_key.hpp"

namespace fhe::cmnt {

namespace {

class CmntScheme final : public Scheme {
 public:
  [[nodiscard]] std::string_view name() const override { return "cmnt"; }

  [[nodiscard]] std::vector<std::string_view> field_names() const override {
    return Parameters::field_names();
  }

  void check(const ParameterSet& group) const override { static_cast<void>(Parameters(group)); }

  [[nodiscard]] KeyMaterial generate(const ParameterSet& group, const BackendPtr& backend,
                                     const StreamSeed& seed, SecretRandom& random,
                                     const Monitor& monitor) const override {
    return generate_keys(Parameters(group), *backend, seed, random, monitor);
  }

  [[nodiscard]] std::shared_ptr<const PublicMaterial> read_public(
      const ParameterSet& group, ContainerReader& in) const override {
    return PublicKey::read(Parameters(group), in);
  }

  [[nodiscard]] std::unique_ptr<const SecretMaterial> read_secret(
      const ParameterSet& group, ContainerReader& in) const override {
    return dghv::SecretKey::read(Parameters(group), in);
  }

  [[nodiscard]] std::vector<KeyFinding> check_public(
      const PublicMaterial& material) const override {
    const auto& key = dynamic_cast<const PublicKey&>(material);
    std::vector<const Integer*> elements = dghv::pointers_to(key.rows());
    for (const Integer& x : key.columns().elements()) elements.push_back(&x);
    return {dghv::check_distinct("elements x.0 and x.1", elements),
            dghv::check_lengths("elements x.0 and x.1", elements, key.parameters().gamma),
            dghv::check_distinct("corrections sigma", dghv::pointers_to(key.squashed().sigma))};
  }

  [[nodiscard]] std::vector<KeyFinding> check_secret(const SecretMaterial& secret) const override {
    return {dghv::check_prime(dynamic_cast<const dghv::SecretKey&>(secret))};
  }

  [[nodiscard]] std::vector<KeyFinding> check_pair(const PublicMaterial& material,
                                                   const SecretMaterial& secret_material,
                                                   const BackendPtr& backend,
                                                   const Monitor& monitor) const override {
    const auto& key = dynamic_cast<const PublicKey&>(material);
    const auto& secret = dynamic_cast<const dghv::SecretKey&>(secret_material);
    std::vector<KeyFinding> findings =
        dghv::check_squashed(key.squashed(), secret, *backend, monitor);
    const StoredStream rows({key.rows().begin(), key.rows().end()}, key.parameters().gamma);
    findings.push_back(
        dghv::check_elements("public elements x.0", {rows, {}}, secret, *backend, monitor));
    findings.push_back(dghv::check_elements("public elements x.1", {key.columns(), {}}, secret,
                                            *backend, monitor));
    return findings;
  }
};

}  // namespace

const Scheme& scheme() {
  static const CmntScheme instance;
  return instance;
}

}  // namespace fhe::cmnt
