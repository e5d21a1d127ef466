// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/dghv/modulus_switch.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "libfhe/arith/integer_functions.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/memory_errors.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/scheme/dghv/compression.hpp"
#include "libfhe/scheme/dghv/modulus.hpp"
#include "libfhe/scheme/dghv/rung_material.hpp"
#include "libfhe/scheme/dghv/secret_material.hpp"
#include "libfhe/scheme/dghv/switch_contents.hpp"
#include "libfhe/scheme/test_seed.hpp"
#include "libfhe/secret/integers.hpp"
#include "libfhe/secret/stack.hpp"

namespace fhe::dghv {

namespace {

using Contents = ModulusSwitch::Contents;

struct SwitchSource {
  const PrimeSecret& secret;
  const Parameters& parameters;
};

SwitchSource source_of(const SecretKey& key) {
  const auto* own = dynamic_cast<const DghvSecretMaterial*>(&key.material());
  if (own != nullptr && own->slots() == 1) {
    return {*own, own->parameters()};
  }
  if (const auto* rung = dynamic_cast<const RungSecret*>(&key.material())) {
    return {*rung, rung->parameters()};
  }
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("{} is not a key over the integers modulo x0 with one slot: its modulus cannot "
                  "be switched",
                  key.id().text()));
}

void check_options(const SwitchOptions& options, const SwitchSource& source) {
  const std::size_t eta = bit_length(source.secret.p());
  const std::size_t smallest = smallest_rung_eta(source.parameters.rho);
  if (options.eta >= eta || options.eta < smallest) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("modulus switching from a prime of {} bits leads to one of {} to {} bits, not "
                    "of {}",
                    eta, smallest, eta - 1, options.eta));
  }
  if (!is_switch_length(options.Theta, options.eta)) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("Theta = {} must be at least 2 and Theta (eta + 1) below 2^32", options.Theta));
  }
}

// s_0 = 1, every other entry a uniform bit.
std::vector<bool> draw_selector(std::size_t Theta, SecretRandom& random) {
  std::vector<bool> s{true};
  while (s.size() < Theta) s.push_back(uniform_index(random, 2) == 1);
  return s;
}

Integer solve_Y0(const Contents& contents, const Integer& p, const std::vector<bool>& s) {
  const PublicStream Y = contents.Y_stream();
  Integer Y0 = (power_of_two(contents.new_eta + contents.fraction_bits() + 1) + p) / (2 * p);
  for (std::size_t i = 1; i < s.size(); ++i) {
    if (s[i]) Y0 -= Y.element(i - 1);
  }
  return low_bits(Y0, contents.Y_bits());
}

// round(s_i 2^b p' / 2^W) + r for every i and b.
SecretIntegers hidden_bits(const Contents& contents, const Integer& new_p,
                           const std::vector<bool>& s, SecretRandom& random) {
  const std::size_t width = contents.entry_bits();
  SecretIntegers values(contents.elements());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = uniform_centered(random, contents.rho);
    if (s[i / width]) {
      values[i] += ((new_p << (i % width + 1)) + power_of_two(width)) >> (width + 1);
    }
  }
  return values;
}

NoiseBound switched_noise(const Contents& contents, NoiseBound noise) {
  const double scaled_bits = noise.bits() - static_cast<double>(contents.old_eta) +
                             static_cast<double>(contents.new_eta) + 1;
  const auto Theta = static_cast<unsigned long>(contents.Theta);
  const Integer floor = 2 * Theta * static_cast<unsigned long>(contents.entry_bits()) *
                            (power_of_two(contents.rho) + 1) +
                        Theta + 4;
  return NoiseBound::from_bits(std::max(scaled_bits, 0.0)) + NoiseBound::from_magnitude(floor);
}

// z = round(c Y / 2^kappa') mod 2^W.
Integer expanded_entry(const Contents& contents, const Integer& c, const Integer& Y,
                       const Backend& backend) {
  const std::size_t fraction = contents.fraction_bits();
  const Integer product = backend.multiply(c, Y) + power_of_two(fraction - 1);
  return bits_at(product, fraction, contents.entry_bits());
}

// With q = (c - e) / p: sum s_i z_i = 2^eta' c / p mod 2^W up to rounding, so
//   2 sum_i sum_b bit_b(z_i) sigma_(i,b) + (c mod 2) = q p' + e p'/p + small   mod 2p',
// and its noise has the parity of (c mod 2) + q = m.
Ciphertext switched(const ModulusSwitch::Contents& contents, const Ciphertext& c,
                    const BackendPtr& backend, const Monitor& monitor) {
  require_ciphertext_of(contents.source, contents.source_modulus, c);
  const PublicStream Y = contents.Y_stream();
  const std::size_t width = contents.entry_bits();
  BlockSelection selection{.block_size = contents.elements(), .width = 1, .masks = {}};
  selection.masks.resize(contents.elements());
  Progress progress(monitor, "expand", contents.Theta);
  parallel_for(contents.Theta, [&](std::size_t i) {
    const Integer& stored = contents.Y0;
    const Integer z =
        expanded_entry(contents, c.value(), i == 0 ? stored : Y.element(i - 1), *backend);
    for (std::size_t b = 0; b < width; ++b) {
      selection.masks[i * width + b] = static_cast<std::uint32_t>(mpz_tstbit(z.get_mpz_t(), b));
    }
    progress.advance();
  });
  const auto ring = backend->ring(contents.target_modulus);
  const PublicStream chi = contents.bit_stream();
  const Integer sum = ring->selected_sums({chi, contents.corrections}, selection, monitor).front();
  const int parity = mpz_odd_p(c.value().get_mpz_t()) != 0 ? 1 : 0;
  return {ring->reduce(2 * sum + parity), switched_noise(contents, c.noise()), contents.target};
}

Rung draw_rung(const SecretKey& from, const SwitchOptions& options, const StreamSeed& seed,
               SecretRandom& random, const BackendPtr& backend, const Monitor& monitor) {
  const SwitchSource source = source_of(from);
  check_options(options, source);
  Parameters next = source.parameters;
  next.eta = options.eta;
  Modulus modulus = generate_modulus(next, *backend, random, monitor);
  const Integer& new_p = modulus.primes.product();

  auto public_part = std::make_shared<const RungPublic>(next, modulus.x0);
  const KeyId id = key_id_of(from.parameters(), *public_part, from.id().test_key);
  Contents contents{.rho = next.rho,
                    .lambda = next.lambda,
                    .gamma = next.gamma,
                    .old_eta = source.parameters.eta,
                    .new_eta = next.eta,
                    .Theta = options.Theta,
                    .source = from.id(),
                    .source_modulus = source.secret.modulus(),
                    .target = id,
                    .target_modulus = modulus.x0,
                    .seed = seed};
  const std::vector<bool> s = draw_selector(options.Theta, random);
  contents.Y0 = solve_Y0(contents, source.secret.p(), s);
  contents.corrections =
      compress(next.correction_bits(), new_p, contents.bit_stream(),
               hidden_bits(contents, new_p, s, random), *backend, random, monitor);
  auto secret_part = std::make_unique<const RungSecret>(std::move(next), std::move(modulus.primes),
                                                        std::move(modulus.x0));
  return {ModulusSwitch(std::make_shared<const Contents>(std::move(contents))),
          PublicKey(from.parameters(), id, std::move(public_part)),
          SecretKey(from.parameters(), id, std::move(secret_part))};
}

}  // namespace

ModulusSwitch::ModulusSwitch(std::shared_ptr<const Contents> contents)
    : contents_("the switching key", std::move(contents)) {}

const KeyId& ModulusSwitch::source() const {
  return contents_->source;
}
const KeyId& ModulusSwitch::target() const {
  return contents_->target;
}

Ciphertext ModulusSwitch::apply(const Ciphertext& c, const BackendPtr& backend,
                                const Monitor& monitor) const {
  return reporting_memory(
      [&] { return switched(*contents_, c, required(backend, "the backend"), monitor); });
}

Rung make_rung(const SecretKey& from, const SwitchOptions& options, const BackendPtr& backend,
               const Monitor& monitor) {
  const SecretWork work;
  return reporting_memory([&] {
    StreamSeed seed;
    fill_public(seed);
    SystemRandom random;
    return draw_rung(from, options, seed, random, required(backend, "the backend"), monitor);
  });
}

Rung make_rung(const SecretKey& from, const SwitchOptions& options, const TestSeed& seed,
               const BackendPtr& backend, const Monitor& monitor) {
  const SecretWork work;
  return reporting_memory([&] {
    const auto random =
        random_for(from.id(), std::make_shared<TestRandom>("modulus switching " + seed.text));
    return draw_rung(from, options, test_stream_seed(seed), *random,
                     required(backend, "the backend"), monitor);
  });
}

}  // namespace fhe::dghv
