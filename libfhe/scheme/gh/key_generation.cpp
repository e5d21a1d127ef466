// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/gh/key_generation.hpp"

#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/scheme/gh/encryption.hpp"
#include "libfhe/scheme/gh/lattice.hpp"
#include "libfhe/scheme/gh/powers.hpp"
#include "libfhe/scheme/gh/public_material.hpp"
#include "libfhe/scheme/gh/secret_material.hpp"
#include "libfhe/scheme/gh/squash.hpp"

namespace fhe::gh {

namespace {

// Encrypts the choice, with noise that is drawn again until the key has no flaw and keeps its
// claims.
std::vector<Integer> draw_key_bits(const Parameters& p, const Powers& powers,
                                   const Lattice& lattice, const ChosenElements& chosen,
                                   SecretRandom& random, const Monitor& monitor) {
  std::optional<ExceededClaim> least;
  std::string reason;
  for (std::size_t draw = 0; draw < kMaxKeyBitDraws; ++draw) {
    const std::vector<NoisePolynomial> noise = draw_noise(p, p.s * p.c, random);
    const std::vector<Trials> trials =
        trial_recryptions(p, lattice.v, noise, chosen, usual_trials(p), monitor);
    if (const auto exceeded = exceeded_claim(p, trials)) {
      if (!least || exceeded->missing_bits < least->missing_bits) least = exceeded;
      continue;
    }
    std::vector<Integer> eta = encrypt_choice(p, powers, chosen, noise, monitor);
    const auto flaw = key_bits_flaw(eta);
    if (!flaw) return eta;
    reason = fmt::format("h = {} nonzero coefficients are too few for {} key bits: {}; raise h",
                         p.h, eta.size(), *flaw);
  }
  throw Error(ErrorCode::invalid_parameters,
              fmt::format("none of {} keys will do: {}", kMaxKeyBitDraws,
                          reason.empty() ? least->text : reason));
}

}  // namespace

KeyMaterial generate_keys(const Parameters& parameters, const BackendPtr& backend,
                          const StreamSeed& seed, SecretRandom& random, const Monitor& monitor) {
  Lattice lattice = generate_lattice(parameters, backend, random, monitor);
  const std::shared_ptr<const Ring> ring = backend->ring(lattice.d);
  const ChosenElements chosen = draw_chosen_elements(parameters, random);
  SquashedKey squashed;
  squashed.x = solve_elements(parameters, *ring, lattice.w, chosen, seed);
  {
    const std::size_t babies = PowerTable::babies_for_many(parameters.n, bit_length(lattice.d));
    const PowerTable powers(ring, lattice.r, parameters.n, babies, monitor);
    squashed.eta = draw_key_bits(parameters, powers, lattice, chosen, random, monitor);
  }
  auto public_part = std::make_shared<const GhPublicMaterial>(
      parameters, lattice.d, std::move(lattice.r), std::move(squashed));
  auto secret_part = std::make_unique<const GhSecretMaterial>(parameters, std::move(lattice.w),
                                                              std::move(lattice.d));
  return {std::move(public_part), std::move(secret_part)};
}

}  // namespace fhe::gh
