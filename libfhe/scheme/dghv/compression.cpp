// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/dghv/compression.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "libfhe/arith/side_by_side.hpp"
#include "libfhe/random/buffered_random.hpp"
#include "libfhe/random/hedged_random.hpp"
#include "libfhe/random/rejection.hpp"

namespace fhe::dghv {

Corrector::Corrector(std::size_t correction_bits, const Integer& p)
    : p_(p), limit_(power_of_two(correction_bits)), multiples_(limit_ / p) {}

Integer Corrector::correction(const Integer& base, SecretRandom& random) const {
  for (int draw = 0; draw < kMaxRejections; ++draw) {
    SecretInteger sum(base + uniform_below(random, multiples_) * p_);
    if (sum.value() >= 0 && sum.value() < limit_) return std::move(sum.value());
  }
  throw stuck_randomness();
}

std::vector<Integer> compress(std::size_t correction_bits, const Integer& p,
                              const PublicStream& chi, const SecretIntegers& noise,
                              const Backend& backend, SecretRandom& random,
                              const Monitor& monitor) {
  const Corrector corrector(correction_bits, p);
  std::vector<Integer> corrections = backend.residues(chi, p, monitor);
  for (std::size_t i = 0; i < corrections.size(); ++i) {
    const Integer base = corrections[i] - noise[i];
    corrections[i] = corrector.correction(base, random);
  }
  return corrections;
}

std::vector<Integer> compress(const Parameters& parameters, const ChineseRemainders& remainders,
                              const PublicStream& chi, const SlotIntegers& residues,
                              const Backend& backend, SecretRandom& random,
                              const Monitor& monitor) {
  const Integer& pi = remainders.primes().product();
  const auto piece = [&](std::size_t first, std::size_t count, const Monitor& watching) {
    return compress(parameters.correction_bits(), pi, chi.part(first, count),
                    remainders.combine(residues, first, count, watching), backend, random,
                    watching);
  };
  if (remainders.primes().size() == 1) return piece(0, chi.count(), monitor);
  std::vector<Integer> corrections;
  corrections.reserve(chi.count());
  piece_by_piece(chi.count(), "elements of all slots", monitor,
                 [&](std::size_t first, std::size_t count, const Monitor& quiet) {
                   std::ranges::move(piece(first, count, quiet), std::back_inserter(corrections));
                   return true;
                 });
  return corrections;
}

NoiseBound owner_noise(const Parameters& parameters) {
  return NoiseBound::from_bits(static_cast<double>(parameters.rho + 1));
}

CompressedCiphertexts encrypt_compressed(const Parameters& parameters,
                                         const ChineseRemainders& remainders,
                                         const std::vector<bool>& bits, const KeyId& id,
                                         const Backend& backend, SecretRandom& random,
                                         const Monitor& monitor) {
  const auto key = std::as_bytes(limbs_of(remainders.primes().product()));
  HedgedRandom hedged(random, encryption_context(key, std::span(&bits, 1)));
  BufferedRandom draws(hedged);
  StreamSeed seed;
  draws.fill(seed);
  const std::size_t slots = remainders.primes().size();
  const std::size_t count = bits.size() / slots;
  SlotIntegers noise;
  for (std::size_t j = 0; j < slots; ++j) noise.emplace_back(count);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    noise[i % slots][i / slots] = 2 * uniform_centered(draws, parameters.rho) + (bits[i] ? 1 : 0);
  }
  const PublicStream chi(seed, StreamPurpose::ciphertexts, 0, count, parameters.gamma);
  return {seed, compress(parameters, remainders, chi, noise, backend, draws, monitor),
          owner_noise(parameters), id};
}

}  // namespace fhe::dghv
