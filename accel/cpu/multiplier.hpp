// SPDX-License-Identifier: Apache-2.0
// The field-neutral part of the engine: chooses the transform for a size, keeps its plans, splits
// operands of very different lengths, and leaves small products to GMP.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
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

  // Limbs of two numbers of the same length from which on their product is faster than GMP's, as
  // measured on Zen 5; nothing where GMP always is.
  [[nodiscard]] std::optional<std::size_t> break_even_limbs() const;

  // Limbs of a modulus below which no ring with transforms pays: kept spectra pay even where single
  // transforms do not.
  [[nodiscard]] std::size_t ring_break_even_limbs() const;

  // Whether one does from there on, for a modulus of so many limbs that is 2^n less a short number,
  // or any other.
  [[nodiscard]] bool ring_pays(std::size_t limbs, bool is_complement) const;

  // The shortest plan of at least that many limbs; made on first use, then shared. Guarded.
  [[nodiscard]] PlanPtr plan(std::size_t min_limbs) const;

  // x * y for any signs and lengths. Where no plan is long enough for the shorter operand, the
  // products are those of halves.
  [[nodiscard]] Integer multiply(const Integer& x, const Integer& y) const;

 private:
  // Limbs of the shorter operand below which transforms do not pay, whatever the longer one; the
  // largest number where they never do.
  [[nodiscard]] std::size_t transform_break_even_limbs() const;
  // Whether transforms are faster than GMP for products of such lengths; short_limbs <= long_limbs.
  [[nodiscard]] bool transforms_pay(std::size_t short_limbs, std::size_t long_limbs) const;
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
