// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/dghv/modulus.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/random/buffered_random.hpp"
#include "libfhe/random/prime_search.hpp"
#include "libfhe/scheme/dghv/small_factors.hpp"

namespace fhe::dghv {

namespace {

// The product of all factors by a balanced tree; the factors are used up.
SecretInteger product_tree(SecretIntegers factors, const Monitor& monitor) {
  std::size_t count = factors.size();
  while (count > 1) {
    monitor.throw_if_stopped();
    const std::size_t pairs = count / 2;
    parallel_for(pairs, [&](std::size_t i) {
      SecretInteger product(factors[2 * i] * factors[2 * i + 1]);
      std::swap(factors[2 * i], product.value());
    });
    for (std::size_t i = 1; i < pairs; ++i) std::swap(factors[i], factors[2 * i]);
    if (count % 2 != 0) std::swap(factors[pairs], factors[count - 1]);
    count = pairs + count % 2;
  }
  return SecretInteger(std::move(factors[0]));
}

// Makes random primes, in parallel, each from its own split of the randomness.
class PrimeSource {
 public:
  PrimeSource(const Backend& backend, SecretRandom& random, std::size_t bits,
              const Monitor& monitor)
      : random_(random), search_(backend, bits), monitor_(monitor) {}

  [[nodiscard]] SecretIntegers make(std::size_t count) {
    SecretIntegers primes(count);
    Progress progress(monitor_, "factors of q0", count);
    parallel_for((count + kSideBySide - 1) / kSideBySide, [&](std::size_t group) {
      const std::size_t first = group * kSideBySide;
      SecretIntegers found = next_primes(first, std::min(kSideBySide, count - first));
      for (std::size_t i = 0; i < found.size(); ++i) std::swap(primes[first + i], found[i]);
      progress.advance(found.size());
    });
    next_ += count;
    return primes;
  }

 private:
  // Searches of one thread: several times as many as are tested at once.
  static constexpr std::size_t kSideBySide = 128;

  // Primes first ... first + count - 1 of those to come.
  [[nodiscard]] SecretIntegers next_primes(std::size_t first, std::size_t count) const {
    std::vector<std::unique_ptr<SecretRandom>> splits;
    std::deque<BufferedRandom> buffers;
    std::vector<SecretRandom*> sources;
    for (std::size_t i = 0; i < count; ++i) {
      splits.push_back(random_.split(next_ + first + i));
      sources.push_back(&buffers.emplace_back(*splits.back()));
    }
    return search_.primes(sources);
  }

  SecretRandom& random_;
  PrimeSearch search_;
  const Monitor& monitor_;
  std::size_t next_ = 0;
};

}  // namespace

Modulus generate_modulus(std::size_t eta, std::size_t gamma, std::size_t prime_bits,
                         const Backend& backend, SecretRandom& random, const Monitor& monitor) {
  SecretInteger p = PrimeSearch(backend, eta).prime(random);
  PrimeSource primes(backend, random, prime_bits, monitor);
  // A prime of b bits is on average 0.44 bits short of 2^b, so the primes that could fill q0 leave
  // a gap, which the next, much shorter, round fills again. The rest is one prime of b to 3b bits.
  SecretInteger product(p.value());
  for (std::size_t gap = gamma - eta; gap >= 3 * prime_bits;
       gap = gamma - bit_length(product.value())) {
    const SecretInteger factor = product_tree(primes.make(gap / prime_bits - 1), monitor);
    product = SecretInteger(product.value() * factor.value());
  }
  const SecretInteger low(power_of_two(gamma - 1) / product.value() + 1);
  const SecretInteger high((power_of_two(gamma) - 1) / product.value() + 1);
  const SecretInteger last(uniform_prime(random, low.value(), high.value()));
  return {std::move(p), product.value() * last.value()};
}

Modulus generate_special_modulus(std::size_t eta, std::size_t gamma, const SpecialModulus& form,
                                 const Backend& backend, SecretRandom& random,
                                 const Monitor& monitor) {
  // Numbers k that are sieved at a time; about one in 20 of them leaves a rough q0.
  constexpr std::uint32_t kCandidates = 4096;
  const SmallPrimes primes(form.rough_bits);
  SecretInteger p = PrimeSearch(backend, eta).prime(random);
  const SecretInteger quotient(power_of_two(gamma) / p.value());
  for (;;) {
    const SecretInteger least(uniform_below(random, power_of_two(form.offset_bits) - kCandidates));
    const SecretInteger largest(quotient.value() - least.value());
    const SecretIndices offsets = rough_offsets(largest.value(), kCandidates, primes, monitor);
    if (offsets.empty()) continue;
    const auto count = static_cast<std::uint32_t>(offsets.size());
    const SecretInteger q0(largest.value() - offsets[uniform_index(random, count)]);
    Integer x0 = q0.value() * p.value();
    return {std::move(p), std::move(x0)};
  }
}

Modulus generate_modulus(const Parameters& parameters, const Backend& backend, SecretRandom& random,
                         const Monitor& monitor) {
  const auto& [eta, gamma] = std::pair(parameters.eta, parameters.gamma);
  if (parameters.special) {
    return generate_special_modulus(eta, gamma, *parameters.special, backend, random, monitor);
  }
  return generate_modulus(eta, gamma, parameters.q0_prime_bits, backend, random, monitor);
}

}  // namespace fhe::dghv
