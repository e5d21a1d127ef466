// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/gh/check.hpp"

#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "libfhe/scheme/gh/residue.hpp"
#include "libfhe/scheme/gh/squash.hpp"
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

}  // namespace

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

}  // namespace fhe::gh
