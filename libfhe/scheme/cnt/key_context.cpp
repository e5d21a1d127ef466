// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "libfhe/random/buffered_random.hpp"
#include "libfhe/scheme/cnt/public_material.hpp"
#include "libfhe/scheme/dghv/encrypt.hpp"
#include "libfhe/scheme/dghv/recrypt.hpp"

namespace fhe::cnt {

namespace {

// Ciphertexts made in one pass over the public key: bounds the memory for their weights.
constexpr std::size_t kBatch = 16;

std::vector<SparseWeights> draw_sparse_weights(std::size_t count, const Parameters& parameters,
                                               SecretRandom& random) {
  const auto bound = static_cast<std::uint32_t>(parameters.alpha);
  std::vector<SparseWeights> sets(count);
  for (SparseWeights& weights : sets) {
    weights.ones_per_weight = kSparseOnes;
    weights.positions.resize(parameters.tau * kSparseOnes);
    for (std::size_t i = 0; i < parameters.tau; ++i) {
      distinct_positions(random, bound,
                         std::span(weights.positions).subspan(i * kSparseOnes, kSparseOnes));
    }
  }
  return sets;
}

}  // namespace

CntKeyContext::CntKeyContext(const std::shared_ptr<const CntPublicMaterial>& key, KeyId id,
                             const BackendPtr& backend, const RecryptOptions& options)
    : KeyContextOf(key, std::move(id), backend, key->parameters().refreshed_noise(options.adder)),
      adder_(dghv::adder_of_recryption(parameters(), options.adder)) {}

std::vector<Integer> CntKeyContext::random_sums(std::size_t count, const EncryptOptions& options,
                                                SecretRandom& random,
                                                const Monitor& monitor) const {
  const PublicStream chi = key().element_stream();
  const CorrectedStream x{chi, key().delta()};
  if (options.sparse) {
    return ring().weighted_sums(x, draw_sparse_weights(count, parameters(), random), monitor);
  }
  const dghv::SecretWeights weights(count, parameters().tau, parameters().alpha, random);
  return ring().weighted_sums(x, weights.sets(), monitor);
}

std::vector<Ciphertext> CntKeyContext::encrypt(const std::vector<bool>& bits,
                                               const EncryptOptions& options, SecretRandom& random,
                                               const Monitor& monitor) const {
  BufferedRandom buffered(random);
  const auto draw_sums = [&](std::size_t count) {
    return random_sums(count, options, buffered, monitor);
  };
  std::vector<Ciphertext> ciphertexts;
  for (Integer& value :
       dghv::encrypt(bits, kBatch, parameters().rho_prime, ring(), buffered, draw_sums)) {
    ciphertexts.emplace_back(std::move(value), fresh_noise(), id());
  }
  return ciphertexts;
}

std::vector<Ciphertext> CntKeyContext::recrypt_all(const std::vector<Ciphertext>& cs,
                                                   const Monitor& monitor) const {
  return refreshed(
      dghv::recrypt_all(parameters(), key().squashed(), ring(), adder_, values_of(cs), monitor));
}

}  // namespace fhe::cnt
