// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/small_primes.hpp"

namespace fhe {

// By the sieve of Eratosthenes.
std::vector<std::uint32_t> primes_below(std::size_t bound) {
  std::vector<bool> composite(bound);
  std::vector<std::uint32_t> primes;
  for (std::size_t n = 2; n < bound; ++n) {
    if (composite[n]) continue;
    primes.push_back(static_cast<std::uint32_t>(n));
    for (std::size_t multiple = n * n; multiple < bound; multiple += n) composite[multiple] = true;
  }
  return primes;
}

std::vector<PrimeGroup> prime_groups(std::span<const std::uint32_t> primes) {
  std::vector<PrimeGroup> groups;
  for (std::size_t i = 0; i < primes.size(); ++i) {
    Limb product = 0;
    if (groups.empty() || __builtin_mul_overflow(groups.back().product, primes[i], &product)) {
      groups.push_back({.first = i, .count = 1, .product = primes[i]});
    } else {
      groups.back().product = product;
      ++groups.back().count;
    }
  }
  return groups;
}

}  // namespace fhe
