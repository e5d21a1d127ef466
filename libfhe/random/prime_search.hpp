// SPDX-License-Identifier: Apache-2.0
// Searches for primes side by side, and the tests that these pass. Not installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/fermat_test.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/small_primes.hpp"
#include "libfhe/error.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe {

// What is common to the searches for primes.

// uniform_bits() into as many limbs as `bits` take.
void uniform_bits(SecretRandom& random, std::size_t bits, std::span<Limb> limbs);

// What uniform_prime() in secret_random.hpp takes for a prime.
bool is_probable_prime(const Integer& candidate);

// Candidates of so many bits after which a search gives up: about one in 0.7 * bits is prime, so
// that this many misses have a probability of e^-144.
std::size_t prime_attempts(std::size_t bits);
Error no_prime_found(std::size_t bits);

// Tests of SECRET numbers that all primes pass, and together no composite that is known.
//
// The time depends, slightly, on n, as that of GMP's own tests does; what is computed is wiped.

// The strong test by powers of a base (Miller 1976; Rabin 1980): with n - 1 = d 2^s, d odd, base^d
// is 1, or base^(d 2^r) is -1 for some r < s, modulo n. Requires an odd n above the base.
bool passes_power_test(const Integer& n, unsigned long base);

// The extra strong Lucas test (Grantham, Frobenius pseudoprimes, Math. Comp. 70, 2001): with the
// least P >= 3 for which D = P^2 - 4 is no square modulo n, and n + 1 = d 2^s, d odd, either
//
//   U_d = 0 and V_d = +-2,   or   V_(d 2^r) = 0 for some r < s - 1     (modulo n)
//
// for the sequences U_(k+1) = P U_k - U_(k-1), U_0 = 0, U_1 = 1, and V likewise with V_0 = 2, V_1 =
// P. Composites that pass are rare, and of another kind than those that pass tests by powers
// (Baillie, Wagstaff 1980). Half the time of GMP's up to kMostLucasBits. Requires an odd n >= 5.
inline constexpr std::size_t kMostLucasBits = 1024;
bool passes_lucas_test(const Integer& n);

// Finds, in any number of sources, the primes that uniform_prime() finds there, many times faster
// where the backend has a Fermat test. Candidates with a small factor, and those that do not pass
// Fermat's test, are composite without any doubt; what is left is decided by a test that is as
// strong as that of uniform_prime(), and trusts no backend. No composite is known that passes
// either.
//
// Immutable; any number of threads may use it.
class PrimeSearch {
 public:
  // For primes of exactly `bits` >= 2 bits.
  PrimeSearch(const Backend& backend, std::size_t bits);

  // A uniform prime: uniform_prime(random, bits) from a test source, else from what the source
  // gives 4 KiB at a time. Throws Error(stopped).
  [[nodiscard]] SecretInteger prime(SecretRandom& random, const Monitor& monitor = {}) const;

  // uniform_prime(*sources[i], bits) for each i. More may be drawn from a source than its prime
  // takes. Throws Error(stopped), looking after every few candidates.
  [[nodiscard]] SecretIntegers primes(std::span<SecretRandom* const> sources,
                                      const Monitor& monitor = {}) const;

 private:
  class Candidates;

  [[nodiscard]] SecretIntegers side_by_side(std::span<SecretRandom* const> sources,
                                            const Monitor& monitor) const;
  [[nodiscard]] bool has_small_factor(std::span<const Limb> candidate) const;

  std::size_t bits_;
  std::vector<std::uint32_t> small_primes_;
  std::vector<PrimeGroup> groups_;  // of the small primes
  std::unique_ptr<const FermatTest> test_;
};

}  // namespace fhe
