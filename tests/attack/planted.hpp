// SPDX-License-Identifier: Apache-2.0
// Samples with approximate common divisors that a test knows the primes of, all alike in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "apps/attack/numbers.hpp"
#include "libfhe/security/problems.hpp"

namespace fhe::attack {

// Numbers that are all alike in every run.
class Draw {
 public:
  explicit Draw(std::uint64_t seed = 1) : generator_(seed) {}

  Integer bits(std::size_t count) {
    Integer x = 0;
    for (std::size_t done = 0; done < count; done += 32) {
      x = (x << 32) + Integer(static_cast<unsigned long>(generator_() & 0xffffffffU));
    }
    return low_bits(x, count);
  }
  // An odd number with the top bit set: q0, where its factors do not matter.
  Integer odd(std::size_t count) {
    return (bits(count - 1) + power_of_two(count - 1)) | Integer(1);
  }
  Integer prime(std::size_t count) {
    Integer p;
    do {
      const Integer start = odd(count);
      mpz_nextprime(p.get_mpz_t(), start.get_mpz_t());
    } while (bit_length(p) != count);
    return p;
  }
  // Less than 2^count in absolute value, each of these numbers as likely as the others.
  Integer noise(std::size_t count) {
    const Integer middle = power_of_two(count) - 1;
    Integer x;
    do {
      x = bits(count + 1) - middle;
    } while (x > middle);
    return x;
  }

 private:
  std::mt19937_64 generator_;
};

// Samples of primes of their own, with the noise |r_ij| < 2^rho.
struct Planted {
  Samples samples;
  std::vector<Integer> primes;
};

inline Planted planted(const security::ApproximateGcd& sizes, std::size_t count,
                       std::uint64_t seed = 1) {
  Draw draw(seed);
  Planted result;
  Samples& samples = result.samples;
  samples.rho = static_cast<std::size_t>(sizes.rho);
  samples.eta = static_cast<std::size_t>(sizes.eta);
  samples.gamma = static_cast<std::size_t>(sizes.gamma);
  samples.slots = static_cast<std::size_t>(sizes.slots);
  Integer product = 1;
  for (std::size_t j = 0; j < samples.slots; ++j) {
    result.primes.push_back(draw.prime(samples.eta));
    product *= result.primes.back();
  }
  Integer x0;
  do {
    x0 = draw.odd(samples.gamma - bit_length(product) + 1) * product;
  } while (bit_length(x0) != samples.gamma);
  for (std::size_t i = 0; i < count; ++i) {
    Integer residue = 0;
    for (const Integer& p : result.primes) {
      const Integer others = product / p;
      Integer inverse;
      mpz_invert(inverse.get_mpz_t(), others.get_mpz_t(), p.get_mpz_t());
      residue += draw.noise(samples.rho) * others * inverse;
    }
    const Integer far = draw.bits(samples.gamma + 64) * product + residue;
    Integer x;
    mpz_fdiv_r(x.get_mpz_t(), far.get_mpz_t(), x0.get_mpz_t());
    samples.x.push_back(x);
  }
  if (sizes.modulus_public) samples.modulus = x0;
  return result;
}

}  // namespace fhe::attack
