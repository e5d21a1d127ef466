// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/bdghv/parameters.hpp"
#include "libfhe/scheme/bdghv/public_material.hpp"
#include "libfhe/scheme/dghv/check.hpp"
#include "libfhe/scheme/dghv/scheme_base.hpp"
#include "libfhe/scheme/schemes.hpp"

namespace fhe::bdghv {

namespace {

class BdghvScheme final : public dghv::SchemeBase<Parameters, BdghvPublicMaterial> {
 public:
  [[nodiscard]] std::string_view name() const override { return "bdghv"; }

  void check(const ParameterSet& group) const override { static_cast<void>(Parameters(group)); }

  [[nodiscard]] KeyMaterial generate(const ParameterSet& group, const KeyOptions& options,
                                     const BackendPtr& backend, const StreamSeed& seed,
                                     SecretRandom& random, const Monitor& monitor) const override {
    return generate_keys(Parameters(group), options.permutations, *backend, seed, random, monitor);
  }

 private:
  [[nodiscard]] std::vector<KeyFinding> check_all_elements(const BdghvPublicMaterial& key,
                                                           const dghv::DghvSecretMaterial& secret,
                                                           const Backend& backend,
                                                           const Monitor& monitor) const override {
    const Parameters& p = key.parameters();
    const StreamSeed& seed = key.squashed().seed;
    const auto check = [&](const char* what, const PublicStream& chi,
                           std::span<const Integer> corrections, std::size_t bits,
                           const Integer& own) {
      return dghv::check_terms(what, chi, corrections, bits, own, secret, backend, monitor);
    };
    std::vector<KeyFinding> findings{
        check("public elements", x_stream(p, seed), key.elements().x, p.rho_prime, 0),
        check("elements of slots", unit_stream(p, seed), key.elements().units, p.rho + 1, 1),
        check("elements of noise", noise_stream(p, seed), key.elements().noise, p.rho + 1,
              power_of_two(p.rho_prime + 1))};
    for (std::size_t k = 0; k < key.permutations().size(); ++k) {
      findings.push_back(dghv::check_key_bits(
          "permuted key bits", permuted_stream(p, seed, k), key.permuted_sigma(k),
          key.permutations()[k].sources(), secret, backend, monitor));
    }
    return findings;
  }
};

}  // namespace

const Scheme& scheme() {
  static const auto* const instance = new BdghvScheme;  // used until the end
  return *instance;
}

}  // namespace fhe::bdghv
