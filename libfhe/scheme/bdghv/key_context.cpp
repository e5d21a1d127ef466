// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "libfhe/error.hpp"
#include "libfhe/random/buffered_random.hpp"
#include "libfhe/scheme/bdghv/public_material.hpp"
#include "libfhe/scheme/dghv/encrypt.hpp"
#include "libfhe/scheme/dghv/recrypt.hpp"

namespace fhe::bdghv {

namespace {

// Ciphertexts made in one pass over the public key: bounds the memory for their weights.
constexpr std::size_t kBatch = 16;

// Rows of constants that share a pass over the x'_i: a mask has so many bits.
constexpr std::size_t kRowsTogether = 32;

std::size_t ones_of(const SlotBits& row) {
  return static_cast<std::size_t>(std::ranges::count(row, true));
}

bool is_uniform(const SlotBits& row) {
  const std::size_t ones = ones_of(row);
  return ones == 0 || ones == row.size();
}

// One block of all slots, with a bit in its masks for each row.
BlockSelection selection_of(std::span<const SlotBits> rows, std::size_t slots) {
  BlockSelection selection{.block_size = slots,
                           .width = static_cast<unsigned>(rows.size()),
                           .masks = std::vector<std::uint32_t>(slots)};
  for (std::size_t k = 0; k < rows.size(); ++k) {
    for (std::size_t i = 0; i < slots; ++i) {
      selection.masks[i] |= static_cast<std::uint32_t>(rows[k][i]) << k;
    }
  }
  return selection;
}

}  // namespace

BdghvKeyContext::BdghvKeyContext(const std::shared_ptr<const BdghvPublicMaterial>& key, KeyId id,
                                 const BackendPtr& backend, const RecryptOptions& options)
    : KeyContextOf(key, std::move(id), backend, key->parameters().refreshed_noise(options.adder)),
      adder_(dghv::adder_of_recryption(parameters(), options.adder)) {}

std::vector<Ciphertext> BdghvKeyContext::constants(std::span<const SlotBits> rows,
                                                   const Monitor& monitor) const {
  const PublicStream chi = unit_stream(parameters(), key().squashed().seed);
  const CorrectedStream units{chi, key().elements().units};
  std::vector<Ciphertext> made;
  for (std::size_t first = 0; first < rows.size(); first += kRowsTogether) {
    const auto some = rows.subspan(first, std::min(kRowsTogether, rows.size() - first));
    std::vector<Integer> sums(some.size());
    if (!std::ranges::all_of(some, is_uniform)) {
      sums = ring().selected_sums(units, selection_of(some, slots()), monitor);
    }
    for (std::size_t k = 0; k < some.size(); ++k) {
      if (is_uniform(some[k])) {
        made.emplace_back(some[k].front() ? 1 : 0, NoiseBound(), id());
      } else {
        made.emplace_back(std::move(sums[k]), parameters().unit_sum_noise(ones_of(some[k])), id());
      }
    }
  }
  return made;
}

std::vector<Integer> BdghvKeyContext::random_sums(std::size_t count, SecretRandom& random,
                                                  const Monitor& monitor) const {
  const Parameters& p = parameters();
  const StreamSeed& seed = key().squashed().seed;
  const Elements& elements = key().elements();
  const PublicStream chi = x_stream(p, seed);
  const PublicStream chi_noise = noise_stream(p, seed);
  const dghv::SecretWeights weights(count, p.tau, p.weight_bits(), random);
  const dghv::SecretWeights noise_weights(count, p.slots, p.noise_weight_bits(), random);
  std::vector<Integer> sums = ring().weighted_sums({chi, elements.x}, weights.sets(), monitor);
  const std::vector<Integer> noise =
      ring().weighted_sums({chi_noise, elements.noise}, noise_weights.sets(), monitor);
  for (std::size_t k = 0; k < count; ++k) sums[k] += noise[k];
  return sums;
}

std::vector<Ciphertext> BdghvKeyContext::encrypt(const std::vector<bool>& bits,
                                                 const EncryptOptions& options,
                                                 SecretRandom& random,
                                                 const Monitor& monitor) const {
  if (options.sparse) {
    throw Error(ErrorCode::unsupported,
                "this scheme has no sparse encryption: encrypt without that option");
  }
  BufferedRandom buffered(random);
  std::vector<Ciphertext> ciphertexts;
  for (std::size_t first = 0; first < bits.size(); first += kBatch) {
    const std::size_t count = std::min(kBatch, bits.size() - first);
    const std::vector<Integer> sums = random_sums(count, buffered, monitor);
    for (std::size_t k = 0; k < count; ++k) {
      const int m = bits[first + k] ? 1 : 0;
      ciphertexts.emplace_back(ring().reduce(sums[k] + m), fresh_noise(), id());
    }
  }
  return ciphertexts;
}

std::vector<Ciphertext> BdghvKeyContext::recrypt_all(const std::vector<Ciphertext>& cs,
                                                     const Monitor& monitor) const {
  return refreshed(
      dghv::recrypt_all(parameters(), key().squashed(), ring(), adder_, values_of(cs), monitor));
}

std::vector<Ciphertext> BdghvKeyContext::recrypt_permuted(const std::vector<Ciphertext>& cs,
                                                          std::size_t permutation,
                                                          const Monitor& monitor) const {
  const dghv::SquashedKey& squashed = key().squashed();
  const PublicStream chi = permuted_stream(parameters(), squashed.seed, permutation);
  return refreshed(dghv::recrypt_all(parameters(), squashed,
                                     {chi, key().permuted_sigma(permutation)}, ring(), *adder_,
                                     values_of(cs), monitor));
}

}  // namespace fhe::bdghv
