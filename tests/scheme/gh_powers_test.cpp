// SPDX-License-Identifier: Apache-2.0
// GH: sparse polynomials, their values at r by every way, and when the table of powers is made.
#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "libfhe/scheme/gh/encryption.hpp"
#include "libfhe/scheme/gh/powers.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/monitors.hpp"
#include "tests/support/operands.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/statistics.hpp"

namespace fhe::test {

namespace {

using Term = gh::NoisePolynomial::Term;
using Terms = SecretVector<Term>;

// A ring and a point of it.
struct Point {
  std::shared_ptr<const Ring> ring;
  Integer r;
};

Point random_point(std::size_t bits, std::uint64_t seed) {
  Operands random(seed);
  const Integer modulus = random.exactly(bits) / 2 * 2 + 1;
  return {open_backend()->ring(modulus), random.below(modulus)};
}

Point point_of(const std::string& group) {
  const KeyPair& keys = test_keys(group);
  return {open_backend()->ring(keys.public_key.modulus()), gh_part(keys.public_key).r()};
}

Integer plain_power(const Integer& base, std::size_t exponent, const Integer& modulus) {
  Integer result;
  mpz_powm_ui(result.get_mpz_t(), base.get_mpz_t(), exponent, modulus.get_mpz_t());
  return result;
}

Integer naive_value(const Terms& terms, const Point& point) {
  const Integer& d = point.ring->modulus();
  Integer sum;
  for (const Term& term : terms) {
    const Integer value = plain_power(point.r, term.exponent, d);
    sum += term.negative ? Integer(-value) : value;
  }
  return oracle::mod(sum, d);
}

Terms terms_of(const gh::NoisePolynomial& u) {
  return {u.terms().begin(), u.terms().end()};
}

// Terms at these exponents, of alternating signs.
Terms alternating(const std::vector<std::uint32_t>& exponents, bool negative) {
  Terms terms;
  for (const std::uint32_t exponent : exponents) {
    terms.push_back({exponent, negative});
    negative = !negative;
  }
  return terms;
}

// What a random draw does not find: ends, neighbours, one group alone, every exponent.
std::vector<Terms> awkward_polynomials(std::uint32_t n, std::uint32_t babies) {
  const std::uint32_t last = n - babies;
  std::vector<std::uint32_t> every(n);
  for (std::uint32_t i = 0; i < n; ++i) every[i] = i;
  std::vector<Terms> polynomials{Terms{}};
  for (const bool negative : {false, true}) {
    for (const std::vector<std::uint32_t>& exponents : {std::vector<std::uint32_t>{0},
                                                        {1},
                                                        {n - 1},
                                                        {last},
                                                        {0, 1},
                                                        {0, n - 1},
                                                        {n - 2, n - 1},
                                                        {0, 2, 4},
                                                        {1, 3, 5},
                                                        {last, last + 1, n - 1},
                                                        {babies - 1, last},
                                                        every}) {
      std::vector<std::uint32_t> sorted = exponents;
      std::ranges::sort(sorted);
      sorted.erase(std::ranges::unique(sorted).begin(), sorted.end());
      polynomials.push_back(alternating(sorted, negative));
    }
  }
  return polynomials;
}

// The values by table and by ladder.
void check_both_ways(const Point& point, std::size_t n, const std::vector<Terms>& polynomials) {
  const gh::PowerTable table(point.ring, point.r, n, {});
  const gh::PowerLadder ladder(point.ring, point.r, n, {});
  for (const Terms& terms : polynomials) {
    CAPTURE(terms.size(), terms.empty() ? 0 : terms.front().exponent);
    const Integer expected = naive_value(terms, point);
    CHECK(table.evaluate(gh::NoisePolynomial(terms)) == expected);
    CHECK(ladder.evaluate(gh::NoisePolynomial(terms)) == expected);
  }
}

std::vector<Terms> random_polynomials(std::size_t n, std::size_t h, std::size_t count) {
  TestRandom random("polynomials");
  std::vector<Terms> polynomials;
  for (std::size_t i = 0; i < count; ++i) {
    polynomials.push_back(terms_of(gh::NoisePolynomial::draw(random, n, h)));
  }
  return polynomials;
}

bool is_table(const std::shared_ptr<const gh::Powers>& powers) {
  return dynamic_cast<const gh::PowerTable*>(powers.get()) != nullptr;
}

}  // namespace

TEST_CASE("noise has exactly h terms of distinct exponents, all sets and signs alike", "[gh]") {
  TestRandom random("noise");
  Tally<std::vector<std::uint32_t>> sets;
  Tally<std::uint32_t> signs;
  for (int i = 0; i < 4000; ++i) {
    const Terms terms = terms_of(gh::NoisePolynomial::draw(random, 5, 3));
    REQUIRE(terms.size() == 3);
    std::vector<std::uint32_t> exponents;
    std::uint32_t pattern = 0;
    for (const Term& term : terms) {
      exponents.push_back(term.exponent);
      pattern = 2 * pattern + (term.negative ? 1 : 0);
    }
    CHECK(std::ranges::is_sorted(exponents, std::less_equal()));
    CHECK(exponents.back() < 5);
    sets.add(exponents);
    signs.add(pattern);
  }
  CHECK(sets.is_uniform_over(10));
  CHECK(signs.is_uniform_over(8));
}

TEST_CASE("a polynomial is the sum of its even and odd parts", "[gh]") {
  const gh::NoisePolynomial u({{0, true}, {3, false}, {4, false}, {7, true}});
  const auto is = [](const gh::NoisePolynomial& part, const Terms& expected) {
    return std::ranges::equal(part.terms(), expected, [](const Term& a, const Term& b) {
      return a.exponent == b.exponent && a.negative == b.negative;
    });
  };
  CHECK(is(u.even_part(), {{0, true}, {2, false}}));
  CHECK(is(u.odd_part(), {{1, false}, {3, true}}));
}

TEST_CASE("powers in a ring are plain powers", "[gh]") {
  const Point point = random_point(700, 3);
  for (const std::size_t exponent : {0U, 1U, 2U, 3U, 5U, 64U, 1000U, 65537U}) {
    CHECK(gh::power(*point.ring, point.r, exponent) ==
          plain_power(point.r, exponent, point.ring->modulus()));
  }
}

TEST_CASE("both ways of evaluation are the plain sum of powers", "[gh]") {
  const Point point = point_of("gh-mini");
  check_both_ways(point, 32, awkward_polynomials(32, 8));
  check_both_ways(point, 32, random_polynomials(32, 15, 50));
  const Point larger = point_of("gh-512");
  check_both_ways(larger, 512, random_polynomials(512, 21, 2));
}

TEST_CASE("a table with giants is the plain sum of powers", "[gh]") {
  constexpr std::size_t kBits = 66000;
  for (const std::size_t n : {2048U, 4096U}) {
    const std::size_t babies = gh::PowerTable::babies(n, kBits);
    REQUIRE(babies < n);
    const Point point = random_point(kBits, n);
    auto polynomials = random_polynomials(n, 16, 2);
    auto awkward =
        awkward_polynomials(static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(babies));
    std::erase_if(awkward, [](const Terms& terms) { return terms.size() > 100; });
    polynomials.insert(polynomials.end(), awkward.begin(), awkward.end());
    check_both_ways(point, n, polynomials);
  }
}

TEST_CASE("tables with any number of babies are the plain sum of powers", "[gh]") {
  const Point point = random_point(3000, 256);
  const std::vector<Terms> polynomials = random_polynomials(256, 15, 5);
  for (std::size_t babies = 2; babies <= 256; babies *= 2) {
    CAPTURE(babies);
    const gh::PowerTable table(point.ring, point.r, 256, babies, {});
    for (const Terms& terms : polynomials) {
      CHECK(table.evaluate(gh::NoisePolynomial(terms)) == naive_value(terms, point));
    }
  }
  const auto many = [](const std::string& group) {
    const gh::Parameters p(ParameterSet::named(group));
    return gh::PowerTable::babies_for_many(p.n, p.min_determinant_bits());
  };
  CHECK(many("gh-512") == 512);
  CHECK(many("gh-2048") == 512);
  CHECK(many("gh-8192") == 1024);
  CHECK(many("gh-32768") == 512);
}

TEST_CASE("the shape of the table is the documented one", "[gh]") {
  struct Row {
    std::string group;
    std::size_t babies;
    std::size_t table_products;
    std::size_t ladder_products;
  };
  for (const Row& row : {Row{"gh-512", 512, 510, 103}, Row{"gh-2048", 128, 141, 99},
                         Row{"gh-8192", 256, 285, 110}, Row{"gh-32768", 512, 573, 127}}) {
    CAPTURE(row.group);
    const gh::Parameters p(ParameterSet::named(row.group));
    const std::size_t bits = p.min_determinant_bits();
    CHECK(gh::PowerTable::babies(p.n, bits) == row.babies);
    CHECK(gh::PowerTable::products(p.n, bits) == row.table_products);
    CHECK(gh::PowerLadder::products(p.n, p.h) == row.ladder_products);
  }
}

TEST_CASE("the counted products are those of the documentation", "[gh]") {
  const Point point = point_of("gh-512");
  const auto reductions = [&](const auto& work) {
    const OperationCounts before = point.ring->backend().counts();
    work();
    return (point.ring->backend().counts() - before).reductions;
  };
  CHECK(reductions([&] { gh::PowerTable(point.ring, point.r, 512, {}); }) == 510);
  const gh::PowerTable table(point.ring, point.r, 512, {});
  const gh::PowerLadder ladder(point.ring, point.r, 512, {});
  for (const Terms& terms : random_polynomials(512, 21, 5)) {
    const gh::NoisePolynomial u(terms);
    CHECK(reductions([&] { static_cast<void>(table.evaluate(u)); }) == 0);
    CHECK(reductions([&] { static_cast<void>(ladder.evaluate(u)); }) <= 103);
  }
}

TEST_CASE("the table is made when it pays, or on request", "[gh]") {
  const Point point = point_of("gh-512");
  gh::PowerCache cache(point.ring, point.r, 512, 21);
  CHECK_FALSE(is_table(cache.powers_for(1, {})));
  CHECK_FALSE(is_table(cache.powers_for(3, {})));
  CHECK(is_table(cache.powers_for(1, {})));
  CHECK(cache.powers_for(1, {}) == cache.powers_for(100, {}));

  gh::PowerCache batch(point.ring, point.r, 512, 21);
  CHECK(is_table(batch.powers_for(5, {})));

  gh::PowerCache prepared(point.ring, point.r, 512, 21);
  prepared.make_table({});
  const auto first = prepared.powers_for(1, {});
  CHECK(is_table(first));
  prepared.make_table({});
  CHECK(prepared.powers_for(1, {}) == first);
}

TEST_CASE("a table that was stopped is made at the next occasion", "[gh]") {
  const Point point = point_of("gh-mini");
  gh::PowerCache cache(point.ring, point.r, 32, 15);
  CHECK_THROWS_MATCHES(cache.powers_for(100, stopped_monitor()), Error,
                       HasCode(ErrorCode::stopped));
  CHECK_THROWS_MATCHES(cache.make_table(stopped_monitor()), Error, HasCode(ErrorCode::stopped));
  CHECK(is_table(cache.powers_for(1, {})));
}

TEST_CASE("threads that ask at once all get right values", "[gh]") {
  const Point point = point_of("gh-mini");
  const Terms terms = random_polynomials(32, 15, 1).front();
  const Integer expected = naive_value(terms, point);
  gh::PowerCache cache(point.ring, point.r, 32, 15);
  std::vector<Integer> values(8);
  std::vector<std::thread> threads;
  threads.reserve(values.size());
  for (Integer& value : values) {
    threads.emplace_back(
        [&] { value = cache.powers_for(1, {})->evaluate(gh::NoisePolynomial(terms)); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Integer& value : values) CHECK(value == expected);
}

TEST_CASE("encryption is b + 2 u(r) for polynomials drawn one after the other", "[gh]") {
  const KeyPair& keys = test_keys("gh-mini");
  const gh::Parameters& p = gh_part(keys.public_key).parameters();
  const Point point = point_of("gh-mini");
  const std::vector<bool> bits{true, false, false, true, true};
  HedgedRandom random = test_encryption_draws(keys, bits, "formula");
  const std::vector<gh::NoisePolynomial> noise = gh::draw_noise(p, bits.size(), random);
  const std::vector<Ciphertext> made = test_encryptor(keys, "formula").encrypt(bits);
  REQUIRE(made.size() == bits.size());
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const Integer u = naive_value(terms_of(noise[i]), point);
    CHECK(made[i].value() == oracle::mod(2 * u + (bits[i] ? 1 : 0), point.ring->modulus()));
  }
}

}  // namespace fhe::test
