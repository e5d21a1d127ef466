// SPDX-License-Identifier: Apache-2.0
// The constants of a server from its answers: read off where nothing hides them, found by lattice
// reduction where too few encryptions of zero do, and not found where there are as many as the
// estimator says.
#include "libfhe/security/hiding.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include <NTL/LLL.h>

#include "apps/attack/ntl.hpp"
#include "apps/attack/relation_lattice.hpp"
#include "libfhe/scheme/she/keys.hpp"
#include "libfhe/scheme/she/randomizer.hpp"
#include "tests/catch.hpp"
#include "tests/support/key_fixtures.hpp"

namespace fhe::attack {

namespace {

constexpr std::size_t kWeightBits = 4;
constexpr std::int64_t kConstant = 3;  // of the server

// One slot; attacks on its answers are to cost 2^17, by core cost.
ParameterSet laboratory() {
  return test::GroupText("she-mini")
      .head("name", "\"hiding-lab\"")
      .set("lambda", "17")
      .set("slots", "1")
      .parse();
}

// What an outsider sees: a query, encryptions of zero, and an answer.
struct Seen {
  Integer query;
  std::vector<Integer> zeros;
  Integer answer;
};

// With so many zeros, the largest of them last.
Seen seen_with(std::size_t zeros, const she::Encryptor& owner) {
  Seen seen{.query = owner.encrypt({7}).value(), .zeros = {}, .answer = 0};
  for (const she::Slots& zero : owner.encrypt_all(std::vector<she::SlotNumbers>(zeros))) {
    seen.zeros.push_back(zero.value());
  }
  std::ranges::sort(seen.zeros);
  return seen;
}

// As she::Randomizer does, which refuses so few.
Seen hidden_by_few(std::size_t count, const she::Encryptor& owner) {
  Seen seen = seen_with(count + 1, owner);
  std::mt19937_64 draws(count);
  std::uniform_int_distribution<int> weights(-(1 << (kWeightBits - 1)),
                                             (1 << (kWeightBits - 1)) - 1);
  Integer sum = kConstant * seen.query;
  for (std::size_t i = 0; i < count; ++i) sum += weights(draws) * seen.zeros[i];
  mpz_fdiv_r(seen.answer.get_mpz_t(), sum.get_mpz_t(), seen.zeros.back().get_mpz_t());
  return seen;
}

// A basis of all u with sum_i u_i x_i = 0 modulo M, for the zeros below M, the query and the
// answer; reduced by LLL.
std::vector<std::vector<Integer>> relations(const Seen& seen) {
  std::vector<Integer> x(seen.zeros.begin(), seen.zeros.end() - 1);
  x.push_back(seen.query);
  x.push_back(seen.answer);
  const std::size_t count = x.size();
  RelationLattice lattice({{.x = std::move(x), .modulus = seen.zeros.back()}});
  return lattice.exact_relations(count, 64);
}

std::vector<std::vector<Integer>> reduced_further(const std::vector<std::vector<Integer>>& basis,
                                                  long block) {
  const auto size = static_cast<long>(basis.size());
  NTL::mat_ZZ rows;
  rows.SetDims(size, static_cast<long>(basis.front().size()));
  for (long i = 0; i < size; ++i) {
    for (long j = 0; j < rows.NumCols(); ++j) {
      rows[i][j] = to_ntl(basis[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
    }
  }
  NTL::BKZ_FP(rows, 0.99, block);
  std::vector<std::vector<Integer>> reduced(basis.size());
  for (long i = 0; i < size; ++i) {
    for (long j = 0; j < rows.NumCols(); ++j) {
      reduced[static_cast<std::size_t>(i)].push_back(from_ntl(rows[i][j]));
    }
  }
  return reduced;
}

// The constant of a relation of the answer with all others, of which no coefficient is larger than
// a weight can be.
std::optional<Integer> constant_in(const std::vector<std::vector<Integer>>& basis) {
  for (const std::vector<Integer>& u : basis) {
    const bool is_short =
        std::ranges::all_of(u, [](const Integer& x) { return abs(x) <= 1 << (kWeightBits - 1); });
    if (is_short && abs(u.back()) == 1) return Integer(-u.back() * u[u.size() - 2]);
  }
  return std::nullopt;
}

she::SecretKey laboratory_key() {
  return she::KeyGenerator(laboratory()).generate(TestSeed{"laboratory"});
}

she::Encryptor laboratory_owner(const she::SecretKey& key) {
  return {key, std::make_shared<TestRandom>("laboratory")};
}

double block_for(std::size_t count) {
  const auto attack = security::cheapest_sum_attack(
      {.count = static_cast<double>(count), .weight_bits = kWeightBits, .element_bits = 512});
  return attack ? attack->block : 1e9;
}

}  // namespace

TEST_CASE("a division reads the constant off an answer that nothing hides", "[hiding]") {
  const she::SecretKey key = laboratory_key();
  const she::Arithmetic arithmetic(key.group());
  const she::Slots query = laboratory_owner(key).encrypt({7});
  const she::Slots answer = arithmetic.multiply_constant(query, kConstant);
  CHECK(answer.value() == kConstant * query.value());
}

// LLL well below the most for which it is said to suffice, and BKZ-20 there: so the estimator does
// not say of an attack that it is much harder than it is, nor much easier.
TEST_CASE("reduction finds the constant behind too few encryptions of zero", "[hiding]") {
  const she::SecretKey key = laboratory_key();
  const she::Encryptor owner = laboratory_owner(key);
  std::size_t most = 20;
  while (block_for(most + 1) == 2) ++most;
  CHECK(most == 92);
  for (const std::size_t count : {20U, 40U, 72U}) {
    CAPTURE(count);
    CHECK(constant_in(relations(hidden_by_few(count, owner))) == Integer(kConstant));
  }
  const auto basis = relations(hidden_by_few(most, owner));
  CHECK_FALSE(constant_in(basis).has_value());
  CHECK(constant_in(reduced_further(basis, 20)) == Integer(kConstant));
}

TEST_CASE("BKZ-20 finds no constant behind as many as the estimator says", "[hiding]") {
  const she::SecretKey key = laboratory_key();
  const she::Encryptor owner = laboratory_owner(key);
  const std::size_t needed = she::zeros_needed(key.group(), she::Hiding::estimated, kWeightBits);
  CHECK(block_for(needed - 1) >= 17 / 0.292);
  CHECK(needed < 512 / kWeightBits);  // only one set of weights leads to the answer
  Seen seen{};
  const std::vector<she::Slots> zeros = owner.encrypt_all(std::vector<she::SlotNumbers>(needed));
  for (const she::Slots& zero : zeros) seen.zeros.push_back(zero.value());
  std::ranges::sort(seen.zeros);
  const she::Slots query = owner.encrypt({7});
  const she::Randomizer server(key.group(), zeros, kWeightBits,
                               std::make_shared<TestRandom>("server"));
  seen.query = query.value();
  seen.answer =
      server.randomize(she::Arithmetic(key.group()).multiply_constant(query, kConstant)).value();
  CHECK_FALSE(constant_in(reduced_further(relations(seen), 20)).has_value());
}

}  // namespace fhe::attack
