// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <utility>

#include "libfhe/random/buffered_random.hpp"
#include "libfhe/scheme/bdghv/public_material.hpp"
#include "libfhe/scheme/dghv/compression.hpp"
#include "libfhe/scheme/dghv/modulus.hpp"
#include "libfhe/scheme/dghv/secret_material.hpp"
#include "libfhe/scheme/dghv/squash.hpp"

namespace fhe::bdghv {

namespace {

// `count` terms 2 r_i for each slot, r_i uniform in (-2^bits, 2^bits), and `own` more in the term
// of the slot's own index.
dghv::SlotIntegers draw_terms(const Parameters& parameters, std::size_t count, std::size_t bits,
                              const Integer& own, SecretRandom& random) {
  dghv::SlotIntegers terms;
  for (std::size_t j = 0; j < parameters.slots; ++j) {
    SecretIntegers& slot = terms.emplace_back(count);
    for (Integer& term : slot.span()) term = 2 * uniform_centered(random, bits);
    if (own != 0) slot[j] += own;
  }
  return terms;
}

// The ones of the slots from which the permutation takes.
std::vector<SecretIndices> permuted(std::span<const SecretIndices> ones,
                                    const SlotPermutation& permutation) {
  std::vector<SecretIndices> result;
  for (const std::uint32_t source : permutation.sources()) result.push_back(ones[source]);
  return result;
}

// Makes elements from their residues.
class Compressor {
 public:
  Compressor(const Parameters& parameters, const dghv::ChineseRemainders& remainders,
             const Backend& backend, SecretRandom& random, const Monitor& monitor)
      : parameters_(parameters),
        remainders_(remainders),
        backend_(backend),
        random_(random),
        monitor_(monitor) {}

  [[nodiscard]] std::vector<Integer> compress(const PublicStream& chi,
                                              const dghv::SlotIntegers& residues) const {
    return dghv::compress(parameters_, remainders_, chi, residues, backend_, random_, monitor_);
  }

 private:
  const Parameters& parameters_;
  const dghv::ChineseRemainders& remainders_;
  const Backend& backend_;
  SecretRandom& random_;
  const Monitor& monitor_;
};

Elements make_elements(const Parameters& p, const StreamSeed& seed, const Compressor& compressor,
                       SecretRandom& random) {
  Elements elements;
  elements.x =
      compressor.compress(x_stream(p, seed), draw_terms(p, p.tau, p.rho_prime - 1, 0, random));
  elements.units =
      compressor.compress(unit_stream(p, seed), draw_terms(p, p.slots, p.rho, 1, random));
  elements.noise = compressor.compress(
      noise_stream(p, seed), draw_terms(p, p.slots, p.rho, power_of_two(p.rho_prime + 1), random));
  return elements;
}

PermutedKeyBits make_permuted(const Parameters& p, std::span<const SlotPermutation> permutations,
                              std::span<const SecretIndices> ones, const StreamSeed& seed,
                              const Compressor& compressor, SecretRandom& random) {
  PermutedKeyBits made{.permutations = {permutations.begin(), permutations.end()}, .sigma = {}};
  for (std::size_t k = 0; k < permutations.size(); ++k) {
    const auto noise = dghv::draw_all_key_bit_noise(p, permuted(ones, permutations[k]), random);
    std::ranges::move(compressor.compress(permuted_stream(p, seed, k), noise),
                      std::back_inserter(made.sigma));
  }
  return made;
}

}  // namespace

KeyMaterial generate_keys(const Parameters& parameters,
                          std::span<const SlotPermutation> permutations, const Backend& backend,
                          const StreamSeed& seed, SecretRandom& random, const Monitor& monitor) {
  dghv::Modulus modulus = dghv::generate_modulus(parameters, backend, random, monitor);
  BufferedRandom draws(random);
  auto secret_part = std::make_unique<const dghv::DghvSecretMaterial>(
      parameters, std::move(modulus.primes), dghv::draw_all_ones(parameters, draws),
      std::move(modulus.x0));
  const std::span<const SecretIndices> ones = secret_part->all_ones();
  const dghv::ChineseRemainders& remainders = secret_part->remainders(monitor);

  const Compressor compressor(parameters, remainders, backend, draws, monitor);
  Elements elements = make_elements(parameters, seed, compressor, draws);
  const dghv::SlotIntegers key_bit_noise = dghv::draw_all_key_bit_noise(parameters, ones, draws);
  dghv::SquashedKey squashed = dghv::encrypt_squashed_key(
      parameters, remainders, ones, key_bit_noise, seed, backend, draws, monitor);
  PermutedKeyBits permuted_bits =
      make_permuted(parameters, permutations, ones, seed, compressor, draws);

  auto public_part = std::make_shared<const BdghvPublicMaterial>(
      parameters, secret_part->modulus(), std::move(elements), std::move(squashed),
      std::move(permuted_bits));
  return {std::move(public_part), std::move(secret_part)};
}

}  // namespace fhe::bdghv
