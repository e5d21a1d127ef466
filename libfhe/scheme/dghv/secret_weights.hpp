// SPDX-License-Identifier: Apache-2.0
// The random weights of public-key encryption. Not installed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "libfhe/arith/weights.hpp"
#include "libfhe/random/secret_random.hpp"

namespace fhe::dghv {

// Sets of weights, uniform in [0, 2^bits), drawn set by set; overwritten when they go, since they
// would reveal the encrypted bit.
class SecretWeights {
 public:
  SecretWeights(std::size_t sets, std::size_t weights_per_set, std::size_t bits,
                SecretRandom& random)
      : sets_(sets, DenseWeights(weights_per_set)) {
    for (DenseWeights& weights : sets_) {
      for (Integer& weight : weights) weight = uniform_bits(random, bits);
    }
  }
  ~SecretWeights() {
    for (DenseWeights& weights : sets_) std::ranges::for_each(weights, [](Integer& w) { wipe(w); });
  }
  SecretWeights(const SecretWeights&) = delete;
  SecretWeights& operator=(const SecretWeights&) = delete;

  [[nodiscard]] std::span<const DenseWeights> sets() const { return sets_; }

 private:
  std::vector<DenseWeights> sets_;
};

}  // namespace fhe::dghv
