// SPDX-License-Identifier: Apache-2.0
// Remainders of one long secret number modulo all small primes, and sieves by them. Not installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/small_primes.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/secret/vector.hpp"

namespace fhe::dghv {

// The primes below 2^bits and products of them: those of 64 or so bits, of groups of
// these, and of pairs of such groups up to the product of all primes. Immutable.
class SmallPrimes {
 public:
  // Largest `bits`: more than a million primes, whose product has 24 million bits.
  static constexpr std::size_t kMaxBits = 24;

  // Requires 1 <= bits <= kMaxBits.
  explicit SmallPrimes(std::size_t bits);

  [[nodiscard]] const std::vector<std::uint32_t>& primes() const { return primes_; }

  // x modulo each of the primes, for x >= 0: a remainder by the product of all primes, two of that
  // by the products of either half of them, and so on. Takes a time that depends on x. Throws
  // Error(stopped).
  [[nodiscard]] SecretVector<std::uint32_t> remainders(const Integer& x,
                                                       const Monitor& monitor) const;

  // Whether no prime divides x.
  [[nodiscard]] bool is_rough(const Integer& x, const Monitor& monitor) const;

 private:
  // The remainders by the primes of group `group`, of the remainder by their product.
  void remainders_in(std::size_t group, const Integer& remainder,
                     SecretVector<std::uint32_t>& remainders) const;

  std::vector<std::uint32_t> primes_;
  std::vector<PrimeGroup> leaves_;
  std::vector<std::vector<Integer>> products_;  // of groups of leaves; of two each of those; ...
};

// The positions i < count for which x - i is divisible by no small prime, in increasing order.
// Requires x >= 0.
SecretVector<std::uint32_t> rough_offsets(const Integer& x, std::uint32_t count,
                                          const SmallPrimes& primes, const Monitor& monitor);

}  // namespace fhe::dghv
