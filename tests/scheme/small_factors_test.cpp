// SPDX-License-Identifier: Apache-2.0
// Remainders by small primes against plain ones, and the sieve against trial division.
#include "libfhe/scheme/dghv/small_factors.hpp"

#include <set>
#include <vector>

#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

namespace {

bool is_small_prime(std::uint32_t n) {
  if (n < 2) return false;
  for (std::uint32_t d = 2; d * d <= n; ++d) {
    if (n % d == 0) return false;
  }
  return true;
}

void check_remainders(const dghv::SmallPrimes& small, const Integer& x) {
  CAPTURE(bit_length(x));
  const SecretVector<std::uint32_t> remainders = small.remainders(x, {});
  REQUIRE(remainders.size() == small.primes().size());
  int wrong = 0;
  for (std::size_t i = 0; i < remainders.size(); ++i) {
    if (remainders[i] != mpz_fdiv_ui(x.get_mpz_t(), small.primes()[i])) ++wrong;
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("the small primes are all of them", "[primes]") {
  for (const std::size_t bits : {1U, 2U, 3U, 8U, 13U}) {
    CAPTURE(bits);
    std::vector<std::uint32_t> expected;
    for (std::uint32_t n = 0; n < (1U << bits); ++n) {
      if (is_small_prime(n)) expected.push_back(n);
    }
    CHECK(dghv::SmallPrimes(bits).primes() == expected);
  }
  CHECK(dghv::SmallPrimes(20).primes().size() == 82025);  // pi(2^20)
}

TEST_CASE("remainders by all small primes are plain remainders", "[primes]") {
  Operands random(41);
  // From one prime to several groups of products, an odd number of them included.
  for (const std::size_t bits : {2U, 4U, 8U, 10U, 13U, 15U, 17U}) {
    CAPTURE(bits);
    const dghv::SmallPrimes small(bits);
    for (const std::size_t length : {1U, 64U, 1000U, 30'000U, 300'000U}) {
      check_remainders(small, random.exactly(length));
      check_remainders(small, all_ones(length));
    }
    check_remainders(small, 0);
    Integer product(1);
    for (const std::uint32_t prime : small.primes()) product *= prime;
    check_remainders(small, product);
    check_remainders(small, product - 1);
  }
}

TEST_CASE("a number is rough when no small prime divides it", "[primes]") {
  const dghv::SmallPrimes small(10);
  CHECK(small.is_rough(1, {}));
  CHECK(small.is_rough(Integer(1031) * 1033, {}));
  CHECK_FALSE(small.is_rough(Integer(1031) * 1021, {}));
  CHECK_FALSE(small.is_rough(1024, {}));
  CHECK_FALSE(small.is_rough(0, {}));
}

TEST_CASE("rough offsets are those that trial division finds", "[primes]") {
  Operands random(42);
  for (const std::size_t bits : {3U, 8U, 12U}) {
    const dghv::SmallPrimes small(bits);
    for (const std::size_t length : {60U, 500U, 9000U}) {
      CAPTURE(bits, length);
      const Integer x = random.exactly(length);
      std::set<std::uint32_t> expected;
      for (std::uint32_t i = 0; i < 3000; ++i) {
        if (small.is_rough(x - i, {})) expected.insert(i);
      }
      const SecretVector<std::uint32_t> offsets = dghv::rough_offsets(x, 3000, small, {});
      CHECK(std::set(offsets.begin(), offsets.end()) == expected);
      CHECK(offsets.size() == expected.size());
      CHECK(!expected.empty());
    }
  }
}

}  // namespace fhe::test
