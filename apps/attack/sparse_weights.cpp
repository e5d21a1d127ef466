// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <NTL/mat_ZZ.h>
#include <fmt/format.h>

#include "apps/attack/attacks.hpp"
#include "apps/attack/ntl.hpp"
#include "apps/attack/relation_lattice.hpp"
#include "apps/attack/rounding.hpp"
#include "libfhe/security/reduction.hpp"

namespace fhe::attack {

namespace {

using Integers = std::vector<Integer>;

// 2 x_i modulo x0.
Integers doubled(const WeightedElements& key) {
  Integers doubles;
  for (const Integer& x : key.x) doubles.emplace_back(2 * x % key.modulus);
  return doubles;
}

// Subtracts from the longest row of a basis, exactly, what is nearest to it of the span of the
// others: reduction in double precision leaves a row as it is that is longer than they by hundreds
// of bits, here one with values as long as p.
void shorten_longest(std::vector<Integers>& rows, long shift) {
  const auto value_weight = static_cast<std::size_t>(2 * std::max(0L, -shift));
  const auto weight = static_cast<std::size_t>(2 * std::max(0L, shift));
  const auto product = [&](const Integers& x, const Integers& y) {
    Integer sum = 0;
    for (std::size_t i = 1; i < x.size(); ++i) sum += x[i] * y[i];
    return Integer((x.front() * y.front() << value_weight) + (sum << weight));
  };
  const auto by_length = [&](const Integers& x, const Integers& y) {
    return product(x, x) < product(y, y);
  };
  std::ranges::iter_swap(std::ranges::max_element(rows, by_length), rows.end() - 1);
  Integers& longest = rows.back();
  const long others = static_cast<long>(rows.size()) - 1;
  NTL::mat_ZZ products;
  NTL::vec_ZZ with_longest;
  products.SetDims(others, others);
  with_longest.SetLength(others);
  for (long i = 0; i < others; ++i) {
    const Integers& row = rows[static_cast<std::size_t>(i)];
    for (long j = 0; j < others; ++j) {
      products[i][j] = to_ntl(product(row, rows[static_cast<std::size_t>(j)]));
    }
    with_longest[i] = to_ntl(product(row, longest));
  }
  NTL::ZZ determinant;
  NTL::vec_ZZ coordinates;
  NTL::solve(determinant, coordinates, products, with_longest);
  if (NTL::IsZero(determinant)) return;
  for (long i = 0; i < others; ++i) {
    // Products of independent rows have a positive determinant.
    const Integer times = from_ntl((2 * coordinates[i] + determinant) / (2 * determinant));
    const Integers& row = rows[static_cast<std::size_t>(i)];
    for (std::size_t k = 0; k < row.size(); ++k) longest[k] -= times * row[k];
  }
}

// Rows (value | coefficients) of the lattice, reduced with values in units of 2^shift.
std::vector<Integers> reduced_rows(const Integers& x, const Integer& modulus, long shift,
                                   const Monitor& monitor) {
  RelationLattice lattice({{.x = x, .modulus = modulus}});
  lattice.reduce(shift, monitor);
  std::vector<Integers> rows;
  for (const Relation& row : lattice.rows()) {
    Integers entries{row.v.front()};
    entries.insert(entries.end(), row.u.begin(), row.u.end());
    rows.push_back(std::move(entries));
  }
  shorten_longest(rows, shift);
  return rows;
}

// m, where the rest (m + 2 r | -b) is one of noise and weights.
std::optional<bool> hidden_bit(const Integers& rest, const WeightedElements& key) {
  if (bit_length(rest.front()) > key.noise_bits + 2) return std::nullopt;
  for (std::size_t i = 1; i < rest.size(); ++i) {
    const Integer weight = -rest[i];
    if (weight < 0 || mpz_popcount(weight.get_mpz_t()) != key.ones) return std::nullopt;
  }
  return rest.front() % 2 != 0;
}

}  // namespace

SparseChance sparse_chance(const WeightedElements& key) {
  const auto tau = static_cast<double>(key.x.size());
  const auto room = static_cast<double>(bit_length(key.modulus) - key.noise_bits);
  const double bits = std::max(1.0, room / tau - (tau + 1) * security::log_root_hermite(2));
  const double luck = std::log2(static_cast<double>(key.bits) / bits);
  return {bits, std::max(0.0, static_cast<double>(key.ones) * tau * luck)};
}

Finding sparse_weights(const WeightedElements& key, std::span<const Integer> ciphertexts,
                       const Monitor& monitor) {
  const auto bits = static_cast<std::size_t>(sparse_chance(key).bits);
  const long shift = static_cast<long>(key.noise_bits) - static_cast<long>(bits);
  const Integers x = doubled(key);
  Finding finding{.dimension = x.size() + 1};
  std::vector<Integers> rows =
      finding.step(fmt::format("the lattice of {} elements is reduced, dimension {}", x.size(),
                               finding.dimension),
                   [&] { return reduced_rows(x, key.modulus, shift, monitor); });
  const auto rounding = Rounding::to(std::move(rows));
  if (!rounding) return finding;
  finding.step("ciphertexts are rounded to it, until the weights of one have the right ones", [&] {
    Progress progress(monitor, "ciphertexts", ciphertexts.size());
    for (const Integer& ciphertext : ciphertexts) {
      if (finding.bit) break;
      ++finding.samples;
      finding.bit = hidden_bit(rounding->remainder(ciphertext), key);
      progress.advance();
    }
    return 0;
  });
  finding.note(fmt::format("{} ciphertexts were tried", finding.samples));
  return finding;
}

}  // namespace fhe::attack
