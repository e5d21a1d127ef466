// SPDX-License-Identifier: Apache-2.0
// Builds the tables of a shape.
#pragma once

#include <array>
#include <vector>

#include "accel/cpu/three_primes/primes.hpp"
#include "accel/cpu/three_primes/shape.hpp"
#include "accel/cpu/three_primes/tables.hpp"

namespace fhe::cpu::three_primes {

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
