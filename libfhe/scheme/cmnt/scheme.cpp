#include "libfhe/scheme/cmnt/scheme.hpp"

#include "libfhe/scheme/cmnt/key_generation.hpp"
#include "libfhe/scheme/cmnt/parameters.hpp"
#include "libfhe/scheme/cmnt/public_key.hpp"
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
};

}  // namespace

const Scheme& scheme() {
  static const CmntScheme instance;
  return instance;
}

}  // namespace fhe::cmnt
