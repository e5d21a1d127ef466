// SPDX-License-Identifier: Apache-2.0
// Z/N on the engine: products in transforms of twice the length of N. How they are reduced modulo N
// is left to derived rings.
#pragma once

#include <memory>
#include <span>

#include "accel/cpu/multiplier.hpp"
#include "libfhe/arith/ring.hpp"

namespace fhe::cpu {

// A prepared operand saves one of the three transforms of a product. A sum of products takes one
// forward transform for a term with a prepared operand, and one inverse and one reduction for all.
class TransformRing : public Ring {
 public:
  [[nodiscard]] Operand prepare(const Integer& x) const override;
  [[nodiscard]] Integer multiply(const Operand& a, const Operand& b) const override;
  [[nodiscard]] Integer dot(std::span<const OperandPair> terms) const override;

 protected:
  // Products under `plan`, of at least 2n bits for an N of n bits.
  TransformRing(BackendPtr backend, const Integer& modulus, PlanPtr plan);
  // The same with 2^(2n) / N, rounded down.
  TransformRing(BackendPtr backend, const Integer& modulus, Integer reciprocal, PlanPtr plan);

  // n.
  [[nodiscard]] std::size_t bits() const { return bits_; }
  [[nodiscard]] const TransformPlan& plan() const { return *plan_; }

  // Counts one product of two numbers of n bits.
  void count_product() const;

 private:
  // x mod N for an x of at least 2n bits and at most plan().limbs() + 1 limbs: a product, or a sum
  // of products. Uses x up.
  [[nodiscard]] virtual Integer reduce_sum(std::span<Limb> x) const = 0;
  // sum = the term's product, or sum += it.
  void accumulate(Spectrum& sum, bool is_first, const OperandPair& term) const;
  // Products that `dot` may accumulate in one spectrum.
  [[nodiscard]] std::size_t accumulation_limit() const;

  std::size_t bits_;
  PlanPtr plan_;
};

}  // namespace fhe::cpu
