// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/cnt/public_material.hpp"
#include "libfhe/scheme/dghv/compression.hpp"
#include "libfhe/scheme/dghv/modulus.hpp"
#include "libfhe/scheme/dghv/secret_material.hpp"
#include "libfhe/scheme/dghv/squash.hpp"

namespace fhe::cnt {

namespace {

// The noise r_i of the public elements, uniform in (-2^rho, 2^rho).
SecretIntegers draw_element_noise(const Parameters& parameters, SecretRandom& random) {
  SecretIntegers noise(parameters.tau);
  for (std::size_t i = 0; i < noise.size(); ++i)
    noise[i] = uniform_centered(random, parameters.rho);
  return noise;
}

}  // namespace

KeyMaterial generate_keys(const Parameters& parameters, const Backend& backend,
                          const StreamSeed& seed, SecretRandom& random, const Monitor& monitor) {
  dghv::Modulus modulus = dghv::generate_modulus(parameters, backend, random, monitor);
  std::vector<SecretIndices> ones = dghv::draw_all_ones(parameters, random);
  const SecretIntegers element_noise = draw_element_noise(parameters, random);
  const dghv::SlotIntegers key_bit_noise = dghv::draw_all_key_bit_noise(parameters, ones, random);

  std::vector<Integer> delta =
      dghv::compress(parameters.correction_bits(), modulus.primes.product(),
                     element_stream(parameters, seed), element_noise, backend, random, monitor);
  const dghv::ChineseRemainders remainders(modulus.primes, monitor);
  dghv::SquashedKey squashed = dghv::encrypt_squashed_key(
      parameters, remainders, ones, key_bit_noise, seed, backend, random, monitor);
  auto public_part = std::make_shared<const CntPublicMaterial>(
      parameters, modulus.x0, std::move(delta), std::move(squashed));
  auto secret_part = std::make_unique<const dghv::DghvSecretMaterial>(
      parameters, std::move(modulus.primes), std::move(ones), std::move(modulus.x0));
  return {std::move(public_part), std::move(secret_part)};
}

}  // namespace fhe::cnt
