// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/random/buffered_random.hpp"
#include "libfhe/scheme/cmnt/product_recrypt.hpp"
#include "libfhe/scheme/cmnt/public_material.hpp"
#include "libfhe/scheme/dghv/encrypt.hpp"
#include "libfhe/scheme/dghv/recrypt.hpp"

namespace fhe::cmnt {

namespace {

// Ciphertexts made in one pass over the public key: bounds the memory for their row sums.
std::size_t batch_size(const Parameters& parameters) {
  constexpr std::size_t kMost = 16;
  constexpr std::size_t kMostSumBits = std::size_t{1} << 31;
  return std::clamp<std::size_t>(kMostSumBits / (parameters.beta * parameters.gamma), 1, kMost);
}

}  // namespace

CmntKeyContext::CmntKeyContext(const std::shared_ptr<const CmntPublicMaterial>& key, KeyId id,
                               const BackendPtr& backend, const RecryptOptions& options)
    : KeyContextOf(key, std::move(id), backend, key->parameters().refreshed_noise(options.adder)),
      adder_(dghv::adder_of_recryption(parameters(), options.adder)) {}

const std::vector<Operand>& CmntKeyContext::rows() const {
  std::call_once(rows_made_, [this] {
    std::vector<Operand> rows(parameters().beta, Operand(Integer()));
    without_other_work([&] {
      parallel_for(rows.size(), [&](std::size_t i) { rows[i] = ring().prepare(key().rows()[i]); });
    });
    rows_ = std::move(rows);
  });
  return rows_;
}

std::vector<Integer> CmntKeyContext::random_sums(std::size_t count, SecretRandom& random,
                                                 const Monitor& monitor) const {
  const std::size_t beta = parameters().beta;
  const dghv::SecretWeights weights(count * beta, beta, parameters().alpha, random);
  std::vector<Integer> row_sums =
      ring().weighted_sums({key().columns(), {}}, weights.sets(), monitor);
  const std::vector<Operand>& x = rows();
  std::vector<Integer> sums(count);
  parallel_for(count, [&](std::size_t k) {
    std::vector<OperandPair> terms;
    for (std::size_t i = 0; i < beta; ++i) {
      terms.emplace_back(x[i], std::move(row_sums[k * beta + i]));
    }
    sums[k] = ring().dot(terms);
  });
  return sums;
}

std::vector<Ciphertext> CmntKeyContext::encrypt(const std::vector<bool>& bits,
                                                const EncryptOptions& options, SecretRandom& random,
                                                const Monitor& monitor) const {
  if (options.sparse) {
    throw Error(ErrorCode::unsupported,
                "this scheme has no sparse encryption: its weights are short and few already; "
                "encrypt without that option");
  }
  BufferedRandom buffered(random);
  const auto draw_sums = [&](std::size_t count) { return random_sums(count, buffered, monitor); };
  std::vector<Ciphertext> ciphertexts;
  for (Integer& value : dghv::encrypt(bits, batch_size(parameters()), parameters().rho_prime,
                                      ring(), buffered, draw_sums)) {
    ciphertexts.emplace_back(std::move(value), fresh_noise(), id());
  }
  return ciphertexts;
}

std::vector<Ciphertext> CmntKeyContext::recrypt_all(const std::vector<Ciphertext>& cs,
                                                    const Monitor& monitor) const {
  const std::vector<Integer> values = values_of(cs);
  if (parameters().form == dghv::SquashForm::blocks) {
    return refreshed(
        dghv::recrypt_all(parameters(), key().squashed(), ring(), adder_, values, monitor));
  }
  return refreshed(
      recrypt_products(parameters(), key().squashed(), ring(), *adder_, values, monitor));
}

}  // namespace fhe::cmnt
