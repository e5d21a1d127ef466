// SPDX-License-Identifier: Apache-2.0
// Fermat's test, with which the search for primes tells composites.
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "apps/conformance/cases.hpp"
#include "apps/conformance/trial.hpp"

namespace fhe::conformance {

namespace {

bool passes(const Integer& n) {
  const Integer two = 2;
  const Integer exponent = n - 1;
  Integer power;
  mpz_powm(power.get_mpz_t(), two.get_mpz_t(), exponent.get_mpz_t(), n.get_mpz_t());
  return power == 1;
}

// Longer primes take seconds to be found. There the greatest number of some lengths is one.
constexpr std::size_t kMostPrimeBits = 160;

// Odd numbers of this length: the greatest, the least, some of long runs of bits, and primes where
// these are found soon.
std::vector<Integer> candidates(Operands& operands, std::size_t bits, std::size_t count) {
  const Integer least = power_of_two(bits - 1) + 1;
  const Integer greatest = power_of_two(bits) - 1;
  std::vector<Integer> numbers{greatest, least};
  while (numbers.size() < count) {
    Integer n =
        least - 1 + low_bits(operands.coin() ? operands.bits(bits) : operands.runs(bits), bits - 1);
    const bool wants_prime = operands.coin();
    if (wants_prime && bits <= kMostPrimeBits) mpz_nextprime(n.get_mpz_t(), n.get_mpz_t());
    mpz_setbit(n.get_mpz_t(), 0);
    numbers.push_back(n > greatest ? greatest : n);
  }
  numbers.resize(count);
  return numbers;
}

void check(Trial& trial, const FermatTest& test, const std::vector<Integer>& numbers) {
  const std::size_t bits = bit_length(numbers.front());
  std::vector<Limb> limbs;
  for (const Integer& n : numbers) {
    const auto own = limbs_of(n);
    limbs.insert(limbs.end(), own.begin(), own.end());
  }
  const std::vector<bool> results = test.passes(limbs);
  trial.holds(
      results.size() == numbers.size(),
      fmt::format("a test of {} numbers of {} bits has as many results", numbers.size(), bits));
  for (std::size_t i = 0; i < std::min(results.size(), numbers.size()); ++i) {
    trial.holds(results[i] == passes(numbers[i]),
                fmt::format("Fermat's test of {} is right", numbers[i].get_str()));
  }
}

// 2^521 - 1, 2^1279 - 1, 2^2203 - 1 and 2^3217 - 1 are prime.
void tests_of_many_lengths(Trial& trial) {
  for (const std::size_t bits :
       {2U,   3U,   9U,   32U,  51U,  52U,  53U,   64U,   65U,   84U,   104U,  105U, 124U,
        144U, 156U, 157U, 208U, 521U, 988U, 1279U, 1558U, 2203U, 3217U, 3328U, 3329U}) {
    const auto test = trial.backend().fermat_test(bits);
    if (test == nullptr) {
      trial.holds(true, "a backend may offer no test");
      continue;
    }
    trial.holds(test->width() >= 1, "a test takes a number");
    for (const std::size_t count : {std::size_t{1}, test->width(), test->width() / 2 + 1}) {
      check(trial, *test, candidates(trial.operands(), bits, std::min(count, test->width())));
    }
  }
}

// 2^(n-1) = 1 mod n for these composites.
void pseudoprimes(Trial& trial) {
  for (const unsigned long n : {341UL, 561UL, 2047UL, 3215031751UL, 3825123056546413051UL}) {
    const auto test = trial.backend().fermat_test(bit_length(n));
    if (test != nullptr) check(trial, *test, {Integer(n)});
  }
  trial.holds(passes(341), "341 is a pseudoprime");
}

}  // namespace

std::vector<Case> fermat_cases() {
  return {
      {"Fermat's test of numbers of many lengths", "fermat_test", tests_of_many_lengths},
      {"Fermat's test of pseudoprimes", "fermat_test", pseudoprimes},
  };
}

}  // namespace fhe::conformance
