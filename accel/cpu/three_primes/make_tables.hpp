// SPDX-License-Identifier: Apache-2.0
// Which transform lengths there are, and which is best for a size.
//
// A length is 8 * top * middle * 4^depth limbs. The radix-`top` level is done while limbs are cut
// into residues (and while they are put together again), then come the levels of radix 3 and 5 that
// multiply to `middle`, then `depth` levels of radix 4, down to polynomials modulo x^8 - w. See the
// example in levels.hpp. From 3072 limbs on, a length is at most 12.5 % above the one before.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "accel/cpu/three_primes/primes.hpp"
#include "accel/cpu/three_primes/tables.hpp"

namespace fhe::cpu::three_primes {

struct Shape {
  unsigned top;     // 1 to kMaxTop, 6
  unsigned middle;  // 1, 3, 5, 9 or 15
  unsigned depth;   // at least 2

  [[nodiscard]] constexpr std::size_t limbs() const {
    return (std::size_t{8} * top * middle) << (2 * depth);
  }
  // The length of each of the `top` blocks.
  [[nodiscard]] constexpr std::size_t block_limbs() const { return limbs() / top; }
};

// The longest length.
inline constexpr std::size_t kMaxLimbs = std::size_t{8} << 18;

// The shape of at least min_limbs limbs that multiplies fastest. Requires min_limbs <= kMaxLimbs.
Shape fastest_shape(std::size_t min_limbs);

// Builds the tables of a shape.

Field make_field(const Prime& prime, int bits, Form form);

// The number c as a multiplier.
Multiplier make_multiplier(const Field& field, std::uint64_t c);

// Tables and the memory that they point into.
class OwnedTables {
 public:
  OwnedTables(const Prime& prime, int bits, const Shape& shape, Form form);
  OwnedTables(const OwnedTables&) = delete;
  OwnedTables& operator=(const OwnedTables&) = delete;

  [[nodiscard]] const Tables& get() const { return tables_; }

 private:
  std::vector<std::vector<Multiplier>> multipliers_;
  std::vector<Level> levels_;
  Tables tables_;
};

// `products`: for spectra of products, which carry another factor 2^-52 if they are integers.
Recombination make_recombination(const PrimeSet& set,
                                 const std::array<const Tables*, kPrimes>& tables, bool products);

}  // namespace fhe::cpu::three_primes
