// SPDX-License-Identifier: Apache-2.0
// Tests of primes pass all primes, and the composites that are known to pass, and no others.
#include <cstddef>
#include <vector>

#include "libfhe/random/prime_search.hpp"
#include "libfhe/random/secret_random.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

namespace {

bool is_prime_by_gmp(const Integer& n) {
  return mpz_probab_prime_p(n.get_mpz_t(), 40) != 0;
}

// Composites below `end` that pass.
template <class Passes>
std::vector<unsigned long> pseudoprimes(unsigned long end, const Passes& passes) {
  std::vector<unsigned long> found;
  for (unsigned long n = 5; n < end; n += 2) {
    const bool is_prime = is_prime_by_gmp(n);
    const bool passed = passes(Integer(n));
    if (is_prime) {
      CAPTURE(n);
      CHECK(passed);
    } else if (passed) {
      found.push_back(n);
    }
  }
  return found;
}

}  // namespace

TEST_CASE("the power test passes primes and its known pseudoprimes", "[primes]") {
  // Sequences A001262 and A020229 of the OEIS.
  CHECK(pseudoprimes(30000, [](const Integer& n) { return passes_power_test(n, 2); }) ==
        std::vector<unsigned long>{2047, 3277, 4033, 4681, 8321, 15841, 29341});
  CHECK(pseudoprimes(30000, [](const Integer& n) { return passes_power_test(n, 3); }) ==
        std::vector<unsigned long>{121, 703, 1891, 3281, 8401, 8911, 10585, 12403, 16531, 18721,
                                   19345, 23521});
}

TEST_CASE("the Lucas test passes primes and its known pseudoprimes", "[primes]") {
  // Sequence A217719 of the OEIS. None of them passes the power test with base 2.
  const std::vector<unsigned long> known{989,   3239,  5777,  10877, 27971, 29681,
                                         30739, 31631, 39059, 72389, 73919, 75077};
  CHECK(pseudoprimes(76000, passes_lucas_test) == known);
  for (const unsigned long n : known) CHECK_FALSE(passes_power_test(n, 2));
}

TEST_CASE("tests of primes agree with GMP at every length", "[primes]") {
  TestRandom random("tests of primes");
  for (std::size_t bits = 33; bits <= 640; bits += 19) {
    CAPTURE(bits);
    const Integer start = (uniform_bits(random, bits) | 1) + power_of_two(bits - 1);
    std::size_t different = 0;
    for (Integer n = start; n < start + 60; n += 2) {
      const bool is_prime = is_prime_by_gmp(n);
      if (passes_lucas_test(n) != is_prime) ++different;
      if (passes_power_test(n, 2) != is_prime) ++different;
    }
    Integer p;
    mpz_nextprime(p.get_mpz_t(), start.get_mpz_t());
    Integer q;
    mpz_nextprime(q.get_mpz_t(), p.get_mpz_t());
    CHECK(passes_lucas_test(p));
    CHECK(passes_power_test(p, 2));
    CHECK_FALSE(passes_lucas_test(p * p));
    CHECK_FALSE(passes_lucas_test(p * q));
    CHECK_FALSE(passes_power_test(p * q, 2));
    CHECK(different == 0);
  }
}

}  // namespace fhe::test
