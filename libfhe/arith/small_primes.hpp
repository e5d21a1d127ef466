// SPDX-License-Identifier: Apache-2.0
// The small primes, and groups of them that divide at the price of one. Not installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libfhe/arith/integer.hpp"

namespace fhe {

// In increasing order.
std::vector<std::uint32_t> primes_below(std::size_t bound);

// Consecutive primes whose product has at most 64 bits.
struct PrimeGroup {
  std::size_t first;  // of the list that was parted
  std::size_t count;
  Limb product;
};

// Parts a list of primes, each group as long as possible.
std::vector<PrimeGroup> prime_groups(std::span<const std::uint32_t> primes);

}  // namespace fhe
