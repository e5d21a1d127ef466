// SPDX-License-Identifier: Apache-2.0
// Public-key encryption of the DGHV family: the part that does not depend on the public elements.
// Not installed.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "libfhe/arith/ring.hpp"
#include "libfhe/arith/weights.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/secret/wipe.hpp"

namespace fhe::dghv {

// The random weights of public-key encryption.
//
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

// `count` independent random subset sums of the public elements, reduced or not. They are secret.
using DrawSums = std::function<std::vector<Integer>(std::size_t count)>;

// c = m + 2r + 2 (random sum) mod x0 for each bit m, r uniform in (-2^rho_prime, 2^rho_prime). The
// factor 2 of r and of the sum keeps the parity of the noise equal to m. At most `batch` sums are
// drawn at once, which bounds the memory.
[[nodiscard]] std::vector<Integer> encrypt(const std::vector<bool>& bits, std::size_t batch,
                                           std::size_t rho_prime, const Ring& ring,
                                           SecretRandom& random, const DrawSums& draw_sums);

}  // namespace fhe::dghv
