// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/dghv/encrypt.hpp"

#include <algorithm>

#include "libfhe/random/secret_random.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe::dghv {

std::vector<Integer> encrypt(const std::vector<bool>& bits, std::size_t batch,
                             std::size_t rho_prime, const Ring& ring, SecretRandom& random,
                             const DrawSums& draw_sums) {
  std::vector<Integer> values;
  values.reserve(bits.size());
  for (std::size_t first = 0; first < bits.size(); first += batch) {
    const std::size_t count = std::min(batch, bits.size() - first);
    const std::vector<Integer> sums = draw_sums(count);
    for (std::size_t k = 0; k < count; ++k) {
      const SecretInteger r(uniform_centered(random, rho_prime));
      const int m = bits[first + k] ? 1 : 0;
      values.push_back(ring.reduce(m + 2 * r.value() + 2 * sums[k]));
    }
  }
  return values;
}

}  // namespace fhe::dghv
