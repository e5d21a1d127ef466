// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "apps/attack/attacks.hpp"
#include "apps/attack/relation_lattice.hpp"
#include "libfhe/security/reduction.hpp"

namespace fhe::attack {

namespace {

// Bits of the values that are looked at, for `count` coefficients of `bits` bits, as the estimator
// has it.
long leading_bits(std::size_t count, std::size_t bits) {
  constexpr double kSpare = 8;  // for each dimension
  const double d = static_cast<double>(count) + 2;
  const double needed =
      static_cast<double>(count * bits) + 2 * d * d * security::log_root_hermite(2) + kSpare * d;
  return std::lround(needed);
}

// m from a row, if that is the ciphertext less what hides it: the last coefficient is that of the
// ciphertext, and the value is 2 r + m.
std::optional<bool> bit_of(const Relation& row, const QuadraticElements& key) {
  if (abs(row.u.back()) != 1) return std::nullopt;
  const Integer noise = centred(row.u.back() * row.v.front(), key.modulus);
  if (bit_length(noise) > key.noise_bits + 2) return std::nullopt;
  return noise % 2 != 0;
}

}  // namespace

Finding ciphertext_knapsack(const QuadraticElements& key, const Integer& ciphertext,
                            const Monitor& monitor) {
  RelationLattice::Numbers numbers{.x = {}, .modulus = key.modulus};
  for (const Integer& x : key.x) {
    for (const Integer& y : key.y) numbers.x.emplace_back(2 * x * y % key.modulus);
  }
  const std::size_t count = numbers.x.size();
  numbers.x.push_back(ciphertext);
  RelationLattice lattice({std::move(numbers)});
  const long bits = leading_bits(count, key.bits);
  const long cut = static_cast<long>(bit_length(key.modulus)) - bits;
  Finding finding{.dimension = lattice.dimension(), .samples = 1};
  finding.step(fmt::format("the lattice of the leading {} bits of {} products and the ciphertext "
                           "is reduced, dimension {}",
                           bits, count, lattice.dimension()),
               [&] {
                 lattice.reduce(std::max(cut, static_cast<long>(key.noise_bits)), monitor);
                 return 0;
               });
  for (const Relation& row : lattice.rows()) {
    if (finding.bit) break;
    finding.bit = bit_of(row, key);
  }
  if (finding.bit) finding.note("what is left of the ciphertext is its noise: its parity is m");
  return finding;
}

}  // namespace fhe::attack
