// SPDX-License-Identifier: Apache-2.0
// The random weights of public-key encryption. Not installed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "libfhe/arith/weights.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/secret/wipe.hpp"

namespace fhe::dghv {

// Sets of weights, uniform in [0, 2^bits), drawn set by set; overwritten when they go, since they
// would reveal the encrypted bit. By hand, because a backend takes weights as plain integers.
class SecretWeights {
 public:
  SecretWeights(std::size_t sets, std::size_t weights_per_set, std::size_t bits,
                SecretRandom& random)
      : SecretWeights(sets, weights_per_set) {
    for (DenseWeights& weights : sets_) {
      for (Integer& weight : weights) weight = uniform_bits(random, bits);
    }
  }
  ~SecretWeights() {
    for (DenseWeights& weights : sets_) {
      for (Integer& weight : weights) wipe(weight);
    }
  }
  SecretWeights(const SecretWeights&) = delete;
  SecretWeights& operator=(const SecretWeights&) = delete;

  [[nodiscard]] std::span<const DenseWeights> sets() const { return sets_; }

 private:
  // Complete before anything is drawn, so that a draw that throws wipes those before it.
  SecretWeights(std::size_t sets, std::size_t weights_per_set)
      : sets_(sets, DenseWeights(weights_per_set)) {}

  std::vector<DenseWeights> sets_;
};

}  // namespace fhe::dghv
