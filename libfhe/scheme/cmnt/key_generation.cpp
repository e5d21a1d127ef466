// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/random/buffered_random.hpp"
#include "libfhe/scheme/cmnt/public_material.hpp"
#include "libfhe/scheme/dghv/modulus.hpp"
#include "libfhe/scheme/dghv/secret_material.hpp"
#include "libfhe/scheme/dghv/squash.hpp"

namespace fhe::cmnt {

namespace {

// The elements' own branch of the randomness; the modulus splits off small numbers.
constexpr std::uint64_t kElementBranch = std::numeric_limits<std::uint64_t>::max();

// p q + r mod x0. The factors are secret, so they are multiplied by GMP and not on a backend.
Integer draw_element(const Parameters& parameters, const dghv::Modulus& modulus, const Integer& q0,
                     SecretRandom& source) {
  BufferedRandom random(source);
  const SecretInteger q(uniform_below(random, q0));
  const SecretInteger r(uniform_centered(random, parameters.rho));
  Integer element = modulus.primes.product() * q.value() + r.value();
  if (element < 0) element += modulus.x0;
  return element;
}

Elements draw_elements(const Parameters& parameters, const dghv::Modulus& modulus,
                       const SecretRandom& random, const Monitor& monitor) {
  const SecretInteger q0(modulus.x0 / modulus.primes.product());
  const auto branch = random.split(kElementBranch);
  const std::size_t beta = parameters.beta;
  Elements elements{.rows = std::vector<Integer>(beta), .columns = std::vector<Integer>(beta)};
  Progress progress(monitor, "public elements", 2 * beta);
  parallel_for(2 * beta, [&](std::size_t k) {
    Integer& element = k < beta ? elements.rows[k] : elements.columns[k - beta];
    element = draw_element(parameters, modulus, q0.value(), *branch->split(k));
    progress.advance();
  });
  return elements;
}

}  // namespace

KeyMaterial generate_keys(const Parameters& parameters, const Backend& backend,
                          const StreamSeed& seed, SecretRandom& random, const Monitor& monitor) {
  dghv::Modulus modulus = dghv::generate_modulus(parameters, backend, random, monitor);
  std::vector<SecretIndices> ones = dghv::draw_all_ones(parameters, random);
  const dghv::SlotIntegers key_bit_noise = dghv::draw_all_key_bit_noise(parameters, ones, random);
  Elements elements = draw_elements(parameters, modulus, random, monitor);
  const dghv::ChineseRemainders remainders(modulus.primes, monitor);
  dghv::SquashedKey squashed = dghv::encrypt_squashed_key(
      parameters, remainders, ones, key_bit_noise, seed, backend, random, monitor);
  auto public_part = std::make_shared<const CmntPublicMaterial>(
      parameters, modulus.x0, std::move(elements), std::move(squashed));
  auto secret_part = std::make_unique<const dghv::DghvSecretMaterial>(
      parameters, std::move(modulus.primes), std::move(ones), std::move(modulus.x0));
  return {std::move(public_part), std::move(secret_part)};
}

}  // namespace fhe::cmnt
