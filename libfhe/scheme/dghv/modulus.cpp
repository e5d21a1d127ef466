// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/dghv/modulus.hpp"

#include <span>
#include <utility>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/random/buffered_random.hpp"
#include "libfhe/scheme/dghv/small_factors.hpp"

namespace fhe::dghv {

namespace {

// Makes random primes, in parallel, each from its own split of the randomness.
class PrimeSource {
 public:
  PrimeSource(SecretRandom& random, const Monitor& monitor) : random_(random), monitor_(monitor) {}

  // Fills `primes` with primes of `bits` bits; `what` names them to the monitor.
  void fill(std::span<Integer> primes, std::size_t bits, const char* what) {
    Progress progress(monitor_, what, primes.size());
    parallel_for(primes.size(), [&](std::size_t i) {
      const auto source = random_.split(next_ + i);
      BufferedRandom random(*source);
      primes[i] = uniform_prime(random, bits);
      progress.advance();
    });
    next_ += primes.size();
  }

  [[nodiscard]] SecretIntegers factors_of_q0(std::size_t count, std::size_t bits) {
    SecretIntegers primes(count);
    fill(primes.span(), bits, "factors of q0");
    return primes;
  }

 private:
  SecretRandom& random_;
  const Monitor& monitor_;
  std::size_t next_ = 0;
};

// The first by `random` itself, as where it is the only one.
SecretPrimes draw_secret_primes(std::size_t slots, std::size_t eta, SecretRandom& random,
                                PrimeSource& source) {
  SecretIntegers primes(slots);
  primes[0] = uniform_prime(random, eta);
  if (slots > 1) source.fill(primes.span().subspan(1), eta, "secret primes");
  return SecretPrimes(std::move(primes));
}

}  // namespace

Modulus generate_modulus(std::size_t slots, std::size_t eta, std::size_t gamma,
                         std::size_t prime_bits, SecretRandom& random, const Monitor& monitor) {
  PrimeSource source(random, monitor);
  SecretPrimes primes = draw_secret_primes(slots, eta, random, source);
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
                                 SecretRandom& random, const Monitor& monitor) {
  // Numbers k that are sieved at a time; about one in 20 of them leaves a rough q0.
  constexpr std::uint32_t kCandidates = 4096;
  const SmallPrimes primes(form.rough_bits);
  SecretInteger p(uniform_prime(random, eta));
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

Modulus generate_modulus(const Parameters& parameters, SecretRandom& random,
                         const Monitor& monitor) {
  if (parameters.special) {
    return generate_special_modulus(parameters.eta, parameters.gamma, *parameters.special, random,
                                    monitor);
  }
  return generate_modulus(parameters.slots, parameters.eta, parameters.gamma,
                          parameters.q0_prime_bits, random, monitor);
}

}  // namespace fhe::dghv
