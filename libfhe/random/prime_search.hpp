// SPDX-License-Identifier: Apache-2.0
// Searches for primes side by side. Not installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/fermat_test.hpp"
#include "libfhe/arith/small_primes.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe {

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
