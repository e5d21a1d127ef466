// SPDX-License-Identifier: Apache-2.0
#include "apps/attack/ideal_lattice.hpp"

#include <optional>
#include <utility>
#include <vector>

#include <NTL/mat_ZZ.h>
#include <fmt/format.h>

#include "apps/attack/ntl.hpp"
#include "apps/attack/relation_lattice.hpp"

namespace fhe::attack {

namespace {

using Integers = std::vector<Integer>;

// first, first r, first r^2, ... modulo d.
Integers powers_of(const Integer& first, const IdealNumbers& key, std::size_t count) {
  Integers powers{first};
  while (powers.size() < count) powers.emplace_back(powers.back() * key.r % key.d);
  return powers;
}

// The powers of r times a unit: so none of them is short, as 1 is, and no small combination of
// them.
Integers long_powers(const IdealNumbers& key, std::size_t count) {
  return powers_of(power_of_two(2 * bit_length(key.d)) % key.d, key, count);
}

// A basis, and first / determinant: the coordinates of (1, 0, ..., 0) in it.
struct Rounding {
  std::vector<Integers> basis;
  Integers first;
  Integer determinant;
};

std::optional<Rounding> rounding_to(std::vector<Integers> basis) {
  const long n = static_cast<long>(basis.size());
  NTL::mat_ZZ matrix;
  NTL::vec_ZZ unit;
  matrix.SetDims(n, n);
  unit.SetLength(n);
  unit[0] = 1;
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < n; ++j) {
      matrix[i][j] = to_ntl(basis[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
    }
  }
  NTL::ZZ determinant;
  NTL::vec_ZZ coordinates;
  NTL::solve(determinant, coordinates, matrix, unit);
  if (NTL::IsZero(determinant)) return std::nullopt;
  Rounding result{std::move(basis), {}, from_ntl(determinant)};
  for (long i = 0; i < n; ++i) result.first.push_back(from_ntl(coordinates[i]));
  return result;
}

// (c, 0, ..., 0) less the point of the lattice that it rounds to.
Integers remainder(const Rounding& rounding, const Integer& c) {
  const std::size_t n = rounding.basis.size();
  Integers rest(n);
  rest.front() = c;
  const Integer size = abs(rounding.determinant);
  for (std::size_t i = 0; i < n; ++i) {
    const Integer moved = c * rounding.first[i] * sgn(rounding.determinant) + size / 2;
    Integer times;
    mpz_fdiv_q(times.get_mpz_t(), moved.get_mpz_t(), size.get_mpz_t());
    for (std::size_t j = 0; j < n; ++j) rest[j] -= times * rounding.basis[i][j];
  }
  return rest;
}

// m from m + 2 e: all even, or all but one, which holds the bit.
std::optional<bool> bit_in(const Integers& rest, std::size_t nonzeros) {
  std::size_t odd = 0;
  std::size_t weight = 0;
  for (const Integer& x : rest) {
    if (abs(x) > 3) return std::nullopt;
    odd += x % 2 != 0 ? 1U : 0U;
    weight += abs(x) > 1 ? 1U : 0U;
  }
  if (odd > 1 || weight > nonzeros) return std::nullopt;
  return odd == 1;
}

}  // namespace

Finding ideal_lattice(const IdealNumbers& key, const Integer& ciphertext, std::size_t window,
                      const Monitor& monitor) {
  RelationLattice lattice({{.x = long_powers(key, window), .modulus = key.d}});
  Finding finding{.dimension = window, .samples = 1};
  std::vector<Integers> basis = finding.step(
      fmt::format("{} of the {} dimensions of the ideal lattice are reduced", window, key.n), [&] {
        return lattice.exact_relations(window, bit_length(key.d) / window + window, monitor);
      });
  if (basis.size() < window) return finding;
  const std::size_t rotations = window == key.n ? 1 : key.n;
  finding.step(fmt::format("the ciphertext, in {} rotations, is rounded to the lattice", rotations),
               [&] {
                 const auto rounding = rounding_to(std::move(basis));
                 if (!rounding) return 0;
                 const Integers rotated = powers_of(ciphertext, key, rotations);
                 for (std::size_t k = 0; k < rotations && !finding.bit; ++k) {
                   monitor.throw_if_stopped();
                   finding.bit = bit_in(remainder(*rounding, rotated[k]), key.nonzeros);
                 }
                 return 0;
               });
  return finding;
}

}  // namespace fhe::attack
