// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "libfhe/arith/backend.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/gh/key_generation.hpp"
#include "libfhe/scheme/gh/parameters.hpp"
#include "libfhe/scheme/gh/public_material.hpp"
#include "libfhe/scheme/gh/recrypt.hpp"
#include "libfhe/scheme/gh/residue.hpp"
#include "libfhe/scheme/gh/secret_material.hpp"
#include "libfhe/scheme/gh/squash.hpp"
#include "libfhe/scheme/schemes.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe::gh {

namespace {

// Number of the pair a < b of c ciphertexts, the inverse of pair_at().
std::size_t number_of(const Pair& pair, std::size_t c) {
  return pair.a * (2 * c - pair.a - 1) / 2 + pair.b - pair.a - 1;
}

// What the key ciphertexts say: the chosen elements, or what is wrong with the ciphertexts.
struct Choice {
  ChosenElements elements;
  std::optional<std::string> flaw;
};

// The element that block k chooses by the pair of its ciphertexts that encrypt 1; or what is wrong
// with them.
std::uint32_t decrypted_element(const GhPublicMaterial& key, const GhSecretMaterial& secret,
                                std::size_t k, std::optional<std::string>& flaw) {
  const Parameters& p = key.parameters();
  Pair pair{};
  std::size_t ones = 0;
  for (std::size_t i = 0; i < p.c; ++i) {
    const auto [bits, within_claim] =
        secret.decrypt(key.squashed().eta[k * p.c + i], p.fresh_noise());
    if (!within_claim) {
      flaw = fmt::format("number {} has more noise than a new encryption", k * p.c + i);
      return 0;
    }
    if (bits.front() != 0) (ones++ == 0 ? pair.a : pair.b) = i;
  }
  const std::size_t element = ones == 2 ? number_of(pair, p.c) : p.S;
  if (element >= p.S) flaw = fmt::format("those of block {} choose no element", k);
  return static_cast<std::uint32_t>(element);
}

Choice decrypted_choice(const GhPublicMaterial& key, const GhSecretMaterial& secret,
                        const Monitor& monitor) {
  const Parameters& p = key.parameters();
  Choice choice{.elements = ChosenElements(p.s), .flaw = std::nullopt};
  for (std::size_t k = 0; k < p.s && !choice.flaw; ++k) {
    monitor.throw_if_stopped();
    choice.elements[k] = decrypted_element(key, secret, k, choice.flaw);
  }
  return choice;
}

// Whether sum_k x_k R^idx_k = w mod d.
bool adds_up(const GhPublicMaterial& key, const GhSecretMaterial& secret,
             const ChosenElements& chosen, const Ring& ring) {
  const Parameters& p = key.parameters();
  SecretInteger sum(-secret.w());
  for (std::size_t k = 0; k < p.s; ++k) {
    sum.value() += ring.reduce(key.squashed().x[k] << (p.log_R * chosen[k]));
  }
  const SecretInteger rest(ring.reduce(sum.value()));
  return rest.value() == 0;
}

// What the secret w says about the public key: whether every eta has the noise of a new encryption,
// whether two in each block encrypt 1, and whether the elements that these choose add up to w
// modulo d. Requires keys of one modulus.
std::vector<KeyFinding> check_squashed(const GhPublicMaterial& key, const GhSecretMaterial& secret,
                                       const Backend& backend, const Monitor& monitor) {
  const Choice choice = decrypted_choice(key, secret, monitor);
  if (choice.flaw) return {{"encrypted key bits", false, *choice.flaw}};
  const bool right = adds_up(key, secret, choice.elements, *backend.ring(key.modulus()));
  return {{"encrypted key bits", true,
           fmt::format("{} with the noise of new ones", key.squashed().eta.size())},
          {"squashed key", right,
           right ? "its chosen elements add up to w" : "its chosen elements do not add up to w"}};
}

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
