// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "apps/attack/attacks.hpp"
#include "apps/attack/relation_lattice.hpp"
#include "apps/attack/rounding.hpp"

namespace fhe::attack {

namespace {

using Integers = std::vector<Integer>;

// The powers of r times a unit: so none of them is short, as 1 is, and no small combination of
// them.
Integers long_powers(const IdealNumbers& key, std::size_t count) {
  return powers_of(power_of_two(2 * bit_length(key.d)) % key.d, key, count);
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
                 const auto rounding = Rounding::to(std::move(basis));
                 if (!rounding) return 0;
                 const Integers rotated = powers_of(ciphertext, key, rotations);
                 for (std::size_t k = 0; k < rotations && !finding.bit; ++k) {
                   monitor.throw_if_stopped();
                   finding.bit = bit_in(rounding->remainder(rotated[k]), key.nonzeros);
                 }
                 return 0;
               });
  return finding;
}

}  // namespace fhe::attack
