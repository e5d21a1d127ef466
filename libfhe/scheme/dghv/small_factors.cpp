// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/dghv/small_factors.hpp"

#include <algorithm>
#include <utility>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe::dghv {

namespace {

// Leaves of a group: its product has some 4000 bits, and is divided by each of them.
constexpr std::size_t kGroup = 64;

// Products of two neighbours each; the last of an odd number stays alone.
std::vector<Integer> products_of_pairs(const std::vector<Integer>& factors) {
  std::vector<Integer> products((factors.size() + 1) / 2);
  parallel_for(products.size(), [&](std::size_t i) {
    products[i] = factors[2 * i];
    if (2 * i + 1 < factors.size()) products[i] *= factors[2 * i + 1];
  });
  return products;
}

}  // namespace

SmallPrimes::SmallPrimes(std::size_t bits)
    : primes_(primes_below(std::size_t{1} << bits)), leaves_(prime_groups(primes_)) {
  std::vector<Integer> groups((leaves_.size() + kGroup - 1) / kGroup, Integer(1));
  for (std::size_t i = 0; i < leaves_.size(); ++i) groups[i / kGroup] *= leaves_[i].product;
  products_.push_back(std::move(groups));
  while (products_.back().size() > 1) products_.push_back(products_of_pairs(products_.back()));
}

void SmallPrimes::remainders_in(std::size_t group, const Integer& remainder,
                                SecretVector<std::uint32_t>& remainders) const {
  const std::size_t end = std::min((group + 1) * kGroup, leaves_.size());
  for (std::size_t i = group * kGroup; i < end; ++i) {
    const PrimeGroup& leaf = leaves_[i];
    const Limb rest = mpz_fdiv_ui(remainder.get_mpz_t(), leaf.product);
    for (std::size_t j = leaf.first; j < leaf.first + leaf.count; ++j) {
      remainders[j] = static_cast<std::uint32_t>(rest % primes_[j]);
    }
  }
}

SecretVector<std::uint32_t> SmallPrimes::remainders(const Integer& x,
                                                    const Monitor& monitor) const {
  SecretIntegers above(1);
  above[0] = x;
  for (std::size_t level = products_.size(); level-- > 0;) {
    monitor.throw_if_stopped();
    const std::vector<Integer>& products = products_[level];
    SecretIntegers rests(products.size());
    parallel_for(products.size(), [&](std::size_t i) {
      const Integer& dividend = above[i / 2];
      mpz_tdiv_r(rests[i].get_mpz_t(), dividend.get_mpz_t(), products[i].get_mpz_t());
    });
    above = std::move(rests);
  }
  SecretVector<std::uint32_t> remainders(primes_.size());
  parallel_for(above.size(),
               [&](std::size_t group) { remainders_in(group, above[group], remainders); });
  return remainders;
}

bool SmallPrimes::is_rough(const Integer& x, const Monitor& monitor) const {
  const SecretVector<std::uint32_t> rests = remainders(x, monitor);
  return std::ranges::count(rests, 0U) == 0;
}

SecretVector<std::uint32_t> rough_offsets(const Integer& x, std::uint32_t count,
                                          const SmallPrimes& primes, const Monitor& monitor) {
  const SecretVector<std::uint32_t> rests = primes.remainders(x, monitor);
  SecretVector<std::uint8_t> divisible(count);
  for (std::size_t k = 0; k < rests.size(); ++k) {
    for (std::size_t i = rests[k]; i < count; i += primes.primes()[k]) divisible[i] = 1;
  }
  SecretVector<std::uint32_t> offsets;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (divisible[i] == 0) offsets.push_back(i);
  }
  return offsets;
}

}  // namespace fhe::dghv
