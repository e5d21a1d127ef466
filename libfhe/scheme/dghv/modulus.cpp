// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/dghv/modulus.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/random/buffered_random.hpp"
#include "libfhe/random/prime_search.hpp"
#include "libfhe/scheme/dghv/small_factors.hpp"

namespace fhe::dghv {

namespace {

// Makes random primes, in parallel, each from its own split of the randomness.
class PrimeSource {
 public:
  PrimeSource(const Backend& backend, SecretRandom& random, const Monitor& monitor)
      : backend_(backend), random_(random), monitor_(monitor) {}

  // Fills `primes` with primes of `bits` bits; `what` names them to the monitor.
  void fill(std::span<Integer> primes, std::size_t bits, const char* what) {
    const PrimeSearch search(backend_, bits);
    const std::size_t count = primes.size();
    const std::size_t each = std::clamp<std::size_t>(count / thread_count(), 1, kMostSideBySide);
    Progress progress(monitor_, what, count);
    parallel_for((count + each - 1) / each, [&](std::size_t group) {
      const std::size_t first = group * each;
      SecretIntegers found = next_primes(search, first, std::min(each, count - first));
      for (std::size_t i = 0; i < found.size(); ++i) std::swap(primes[first + i], found[i]);
      progress.advance(found.size());
    });
    next_ += primes.size();
  }

  [[nodiscard]] SecretIntegers factors_of_q0(std::size_t count, std::size_t bits) {
    SecretIntegers primes(count);
    fill(primes.span(), bits, "factors of q0");
    return primes;
  }

 private:
  // Searches of one thread: several times as many as are tested at once, where there are so many.
  static constexpr std::size_t kMostSideBySide = 128;

  // Primes first ... first + count - 1 of those to come.
  [[nodiscard]] SecretIntegers next_primes(const PrimeSearch& search, std::size_t first,
                                           std::size_t count) const {
    std::vector<std::unique_ptr<SecretRandom>> splits;
    std::deque<BufferedRandom> buffers;
    std::vector<SecretRandom*> sources;
    for (std::size_t i = 0; i < count; ++i) {
      splits.push_back(random_.split(next_ + first + i));
      sources.push_back(&buffers.emplace_back(*splits.back()));
    }
    return search.primes(sources, monitor_);
  }

  const Backend& backend_;
  SecretRandom& random_;
  const Monitor& monitor_;
  std::size_t next_ = 0;
};

// The first by `random` itself, as where it is the only one.
SecretIntegers draw_secret_primes(std::size_t slots, std::size_t eta, const Backend& backend,
                                  SecretRandom& random, PrimeSource& source,
                                  const Monitor& monitor) {
  SecretIntegers primes(slots);
  std::swap(primes[0], PrimeSearch(backend, eta).prime(random, monitor).value());
  if (slots > 1) source.fill(primes.span().subspan(1), eta, "secret primes");
  return primes;
}

}  // namespace

SecretIntegers generate_primes(std::size_t slots, std::size_t eta, const Backend& backend,
                               SecretRandom& random, const Monitor& monitor) {
  PrimeSource source(backend, random, monitor);
  return draw_secret_primes(slots, eta, backend, random, source, monitor);
}

Modulus generate_modulus(std::size_t slots, std::size_t eta, std::size_t gamma,
                         std::size_t prime_bits, const Backend& backend, SecretRandom& random,
                         const Monitor& monitor) {
  PrimeSource source(backend, random, monitor);
  SecretPrimes primes(draw_secret_primes(slots, eta, backend, random, source, monitor));
  // A prime of b bits is on average 0.44 bits short of 2^b, so the primes that could fill q0 leave
  // a gap, which the next, much shorter, round fills again. The rest is one prime of b to 3b bits.
  SecretInteger product(primes.product());
  for (std::size_t gap = gamma - bit_length(product.value()); gap >= 3 * prime_bits;
       gap = gamma - bit_length(product.value())) {
    const SecretInteger factor =
        product_tree(source.factors_of_q0(gap / prime_bits - 1, prime_bits), monitor);
    product = SecretInteger(product.value() * factor.value());
  }
  const SecretInteger low(power_of_two(gamma - 1) / product.value() + 1);
  const SecretInteger high((power_of_two(gamma) - 1) / product.value() + 1);
  const SecretInteger last(uniform_prime(random, low.value(), high.value()));
  return {std::move(primes), product.value() * last.value()};
}

Modulus generate_special_modulus(std::size_t eta, std::size_t gamma, const SpecialModulus& form,
                                 const Backend& backend, SecretRandom& random,
                                 const Monitor& monitor) {
  // Numbers k that are sieved at a time; about one in 20 of them leaves a rough q0.
  constexpr std::uint32_t kCandidates = 4096;
  const SmallPrimes primes(form.rough_bits);
  SecretInteger p = PrimeSearch(backend, eta).prime(random, monitor);
  const SecretInteger quotient(power_of_two(gamma) / p.value());
  for (;;) {
    const SecretInteger least(uniform_below(random, power_of_two(form.offset_bits) - kCandidates));
    const SecretInteger largest(quotient.value() - least.value());
    const SecretIndices offsets = rough_offsets(largest.value(), kCandidates, primes, monitor);
    if (offsets.empty()) continue;
    const auto count = static_cast<std::uint32_t>(offsets.size());
    const SecretInteger q0(largest.value() - offsets[uniform_index(random, count)]);
    Integer x0 = q0.value() * p.value();
    return {SecretPrimes(std::move(p)), std::move(x0)};
  }
}

Modulus generate_modulus(const Parameters& parameters, const Backend& backend, SecretRandom& random,
                         const Monitor& monitor) {
  if (parameters.special) {
    return generate_special_modulus(parameters.eta, parameters.gamma, *parameters.special, backend,
                                    random, monitor);
  }
  return generate_modulus(parameters.slots, parameters.eta, parameters.gamma,
                          parameters.q0_prime_bits, backend, random, monitor);
}

}  // namespace fhe::dghv
