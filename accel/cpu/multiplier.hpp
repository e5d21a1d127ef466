// SPDX-License-Identifier: Apache-2.0
// The field-neutral part of the engine: chooses the transform for a size, keeps its plans, splits
// operands of very different lengths, and leaves small products to GMP.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>

#include "accel/cpu/kernel.hpp"
#include "accel/cpu/transform.hpp"
#include "libfhe/arith/integer.hpp"

namespace fhe::cpu {

// What the transforms compute in.
enum class Field {
  goldilocks,    // p = 2^64 - 2^32 + 1, on every kernel
  three_primes,  // three primes of about 50 bits, on every kernel but portable
};

// "goldilocks", "three primes".
std::string_view to_string(Field field);

class Multiplier {
 public:
  // Requires that the kernel is available and runs the field.
  Multiplier(Field field, Kernel kernel) : field_(field), kernel_(kernel) {}

  [[nodiscard]] Field field() const { return field_; }
  [[nodiscard]] Kernel kernel() const { return kernel_; }

  // Limbs of the shorter operand below which GMP multiplies faster, whatever the longer one, as
  // measured on Zen 5; the largest number where it always does.
  [[nodiscard]] std::size_t break_even_limbs() const;

  // Limbs of a modulus from which on rings with transforms are faster than products by GMP: kept
  // spectra pay even where single transforms do not.
  [[nodiscard]] std::size_t ring_break_even_limbs() const;

  // The shortest plan of at least that many limbs; made on first use, then shared. Guarded.
  [[nodiscard]] PlanPtr plan(std::size_t min_limbs) const;

  // x * y for any signs and lengths. Where no plan is long enough for the shorter operand, the
  // products are those of halves.
  [[nodiscard]] Integer multiply(const Integer& x, const Integer& y) const;

 private:
  // Whether a product of such lengths is faster than GMP's; short_limbs <= long_limbs.
  [[nodiscard]] bool pays(std::size_t short_limbs, std::size_t long_limbs) const;
  // The length of `plan(min_limbs)`.
  [[nodiscard]] std::size_t plan_limbs(std::size_t min_limbs) const;
  [[nodiscard]] Integer multiply_balanced(const Integer& x, const Integer& y) const;
  [[nodiscard]] Integer multiply_blockwise(const Integer& longer, const Integer& shorter) const;
  [[nodiscard]] Integer multiply_halves(const Integer& longer, const Integer& shorter) const;

  Field field_;
  Kernel kernel_;
  mutable std::mutex guard_;
  mutable std::map<std::size_t, PlanPtr> plans_;  // by length in limbs
};

}  // namespace fhe::cpu
