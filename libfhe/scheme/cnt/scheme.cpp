#include "libfhe/scheme/cnt/scheme.hpp"

#include "libfhe/scheme/cnt/key_generation.hpp"
#include "libfhe/scheme/cnt/parameters.hpp"
#include "libfhe/scheme/cnt/public_key.hpp"
#include "libfhe/scheme/dghv/check.hpp"
#include "libfhe/scheme/dghv/secret_key.hpp"

namespace fhe::cnt {

namespace {

class CntScheme final : public Scheme {
 public:
  [[nodiscard]] std::string_view name() const override { return "cnt"; }

  [[nodiscard]] std::vector<std::string_view> field_names() const override {
    return Parameters::field_names();
  }

  void check(const ParameterSet& group) const override {
    if (group.makes_keys()) {
      static_cast<void>(Parameters(group));
    } else {
      static_cast<void>(EncryptionSizes(group));
    }
  }

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
    return {dghv::check_distinct("corrections delta", dghv::pointers_to(key.delta())),
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
    const PublicStream chi = key.element_stream();
    findings.push_back(
        dghv::check_elements("public elements", {chi, key.delta()}, secret, *backend, monitor));
    return findings;
  }
};

}  // namespace

const Scheme& scheme() {
  static const CntScheme instance;
  return instance;
}

}  // namespace fhe::cnt
