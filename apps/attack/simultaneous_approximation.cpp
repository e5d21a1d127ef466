// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "apps/attack/attacks.hpp"
#include "apps/attack/block_reduction.hpp"
#include "apps/attack/relation_lattice.hpp"
#include "libfhe/error.hpp"
#include "libfhe/security/reduction.hpp"

namespace fhe::attack {

namespace {

using Integers = std::vector<Integer>;

constexpr std::size_t kFirstBlock = 10;

// What is approximated: samples over one of them, or over a modulus, and the bits of their noise.
struct Fractions {
  Integers samples;
  Integers numerators;  // the samples, divided by the divisor of their noise
  Integer denominator;
  std::size_t rho;
};

// The first of the samples that can be divided by. Without a divisor of the noise, any.
std::optional<std::size_t> denominator_of(const Samples& samples, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (gcd(samples.x[i], samples.noise_divisor) == 1) return i;
  }
  return std::nullopt;
}

// x / divisor modulo the denominator: x less a multiple of it, divided.
Integer divided(const Integer& x, const Integer& divisor, const Integer& denominator) {
  Integer inverse;
  mpz_invert(inverse.get_mpz_t(), denominator.get_mpz_t(), divisor.get_mpz_t());
  return (x - x * inverse % divisor * denominator) / divisor;
}

// Nothing where all samples have a factor in common with the divisor of the noise.
std::optional<Fractions> fractions_of(const Samples& samples, std::size_t count) {
  const auto first = samples.x.begin();
  Fractions fractions{.samples = {first, first + static_cast<std::ptrdiff_t>(count)},
                      .numerators = {},
                      .denominator = samples.modulus,
                      .rho = samples.rho + 1 - bit_length(samples.noise_divisor)};
  if (samples.modulus == 0) {
    const auto chosen = denominator_of(samples, count);
    if (!chosen) return std::nullopt;
    fractions.denominator = samples.x[*chosen];
    fractions.samples.erase(fractions.samples.begin() + static_cast<std::ptrdiff_t>(*chosen));
  }
  for (const Integer& x : fractions.samples) {
    fractions.numerators.push_back(divided(x, samples.noise_divisor, fractions.denominator));
  }
  return fractions;
}

double log2_of(const Integer& x) {
  long exponent = 0;
  const double mantissa = mpz_get_d_2exp(&exponent, x.get_mpz_t());
  return std::log2(std::abs(mantissa)) + static_cast<double>(exponent);
}

RelationLattice lattice_of(const Fractions& fractions) {
  std::vector<RelationLattice::Numbers> lists;
  for (const Integer& x : fractions.numerators) lists.push_back({{x}, fractions.denominator});
  return RelationLattice(lists);
}

bool is_prime_of(const Samples& samples, const Integer& p) {
  if (bit_length(p) != samples.eta || samples.modulus % p != 0) return false;
  return std::ranges::all_of(samples.x, [&](const Integer& x) {
    const Integer noise = centred(x, p);
    return bit_length(noise) <= samples.rho && noise % samples.noise_divisor == 0;
  });
}

// Adds x_0 / q, rounded, if that is a prime which is not there yet.
void add_prime(const Integer& q, const Integer& denominator, const Samples& samples,
               Integers& primes) {
  if (q == 0) return;
  const Integer p = (2 * denominator + abs(q)) / (2 * abs(q));
  if (is_prime_of(samples, p) && std::ranges::find(primes, p) == primes.end()) primes.push_back(p);
}

// Adds primes of the rows, and of the sums and differences of two: a vector that is longer than
// another is shorter without it.
void add_sums(const std::vector<Relation>& rows, const Integer& denominator, const Samples& samples,
              Integers& primes) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Integer& q = rows[i].u.front();
    add_prime(q, denominator, samples, primes);
    for (std::size_t j = 0; j < i; ++j) {
      add_prime(q + rows[j].u.front(), denominator, samples, primes);
      add_prime(q - rows[j].u.front(), denominator, samples, primes);
    }
  }
}

// The rows less what they have in the direction of the samples. The vectors of different primes
// have that in common, and are all but orthogonal without it.
std::vector<Relation> across(const std::vector<Relation>& rows, const Integers& direction) {
  const auto product = [&](const Integers& v) {
    return std::inner_product(v.begin(), v.end(), direction.begin(), Integer(0));
  };
  const Integer square = product(direction);
  std::vector<Relation> results;
  for (const Relation& row : rows) {
    Relation& result = results.emplace_back(row);
    const Integer along = product(row.v);
    for (std::size_t i = 0; i < direction.size(); ++i) {
      result.v[i] -= along * direction[i] / square;
    }
  }
  return results;
}

Integers primes_of(const std::vector<Relation>& rows, const Fractions& fractions,
                   const Samples& samples, const Monitor& monitor) {
  Integers primes;
  for (const Relation& row : rows) {
    add_prime(row.u.front(), fractions.denominator, samples, primes);
  }
  if (samples.slots == 1 || primes.size() == samples.slots) return primes;
  const std::vector<Relation> shortest(rows.begin(),
                                       rows.begin() + static_cast<std::ptrdiff_t>(samples.slots));
  add_sums(reduced_by_blocks(across(shortest, fractions.samples), 0, kFirstBlock, 0, monitor),
           fractions.denominator, samples, primes);
  return primes;
}

// log2 of a length that only the vectors of primes are below: a lattice of this volume without them
// has hardly any that are shorter than those that the Gaussian heuristic says it has.
double length_of_few(const Fractions& fractions) {
  constexpr double kMargin = 0.2;
  const auto n = static_cast<double>(fractions.numerators.size());
  const double d = n + 1;
  const double volume = static_cast<double>(fractions.rho) + n * log2_of(fractions.denominator);
  const double ball = std::log2(d / (2 * std::numbers::pi * std::numbers::e)) / 2 +
                      std::log2(std::numbers::pi * d) / (2 * d);
  return volume / d + ball - kMargin;
}

}  // namespace

Finding simultaneous_approximation(const Samples& samples, std::size_t count, std::size_t block,
                                   const Monitor& monitor) {
  if (count < samples.slots + 2 || count > samples.x.size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("this attack takes {} to {} samples, and was to take {}",
                            samples.slots + 2, samples.x.size(), count));
  }
  Finding finding{.samples = count};
  const auto fractions = fractions_of(samples, count);
  if (!fractions) return finding;
  RelationLattice lattice = lattice_of(*fractions);
  finding.dimension = lattice.dimension();
  const auto look = [&](const std::vector<Relation>& rows) {
    finding.primes = primes_of(rows, *fractions, samples, monitor);
  };
  finding.step(fmt::format("LLL reduces the lattice of approximations to {} samples, dimension {}",
                           count, lattice.dimension()),
               [&] {
                 lattice.reduce(static_cast<long>(fractions->rho), monitor);
                 look(lattice.rows());
                 return 0;
               });
  std::vector<Relation> rows = lattice.rows();
  for (std::size_t size = 2; size < block && finding.primes.size() < samples.slots;) {
    size = std::min(block, size < kFirstBlock ? kFirstBlock : size + kFirstBlock);
    const double enough = finding.primes.empty() ? length_of_few(*fractions) : 0;
    finding.step(fmt::format("BKZ with blocks of {} rows reduces it further", size), [&] {
      rows = reduced_by_blocks(rows, fractions->rho, size, enough, monitor);
      look(rows);
      return 0;
    });
  }
  return finding;
}

std::size_t best_approximation(const Samples& sizes, std::size_t block) {
  constexpr double kMargin = 3;  // for lengths of vectors, in bits
  const double log_delta = security::log_root_hermite(static_cast<double>(block));
  const auto gap = static_cast<double>(sizes.eta - sizes.rho);
  const double volume =
      static_cast<double>(sizes.gamma - sizes.rho) - static_cast<double>(sizes.slots) * gap;
  // The roots of volume / t + t lg delta = room, where it has roots.
  const double room = std::max(0.0, gap - kMargin);
  const double square = std::max(0.0, room * room - 4 * volume * log_delta);
  const double half = std::max(room, 2 * std::sqrt(std::max(1.0, volume) * log_delta));
  const double t = (half - std::sqrt(square)) / (2 * log_delta);
  return sizes.slots + std::max<std::size_t>(2, static_cast<std::size_t>(t));
}

}  // namespace fhe::attack
