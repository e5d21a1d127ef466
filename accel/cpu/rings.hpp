// SPDX-License-Identifier: Apache-2.0
// Z/N on the engine: products by transforms, and reductions by Barrett or by a short complement.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "accel/cpu/multiplier.hpp"
#include "accel/cpu/schoolbook/schoolbook.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/ring.hpp"

namespace fhe::cpu {

// Products in transforms of twice the length of N. How they are reduced modulo N
// is left to derived rings.
//
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

// Reciprocals by Newton's iteration on the engine's products: about four products of the divisor's
// length, where GMP's division takes some fifty.
//
// floor(2^bits / divisor), exactly. Requires divisor >= 2. The time depends on the divisor, which
// is not secret.
Integer reciprocal(const Integer& divisor, std::size_t bits, const Multiplier& multiplier);

// Barrett reduction with the spectra of N and of its reciprocal kept.
//
// A product of two operands modulo an n-bit N, in transforms of the length of 2n bits, of which a
// plain product takes three:
//
//   x = a b                     2 forward, 1 inverse
//   q = (x / B^u) mu / B^v      1 forward, 1 inverse; mu = floor(B^(u+v) / N), its spectrum is kept
//   r = x - q N                 1 forward, 1 inverse of half the length: r is small, so it is
//                               enough to know it modulo B^L - 1 just above N; N's spectrum is kept
//
// With B = 2^64, all divisions cut off limbs. u = floor(n / 64), and v limbs hold x / B^u for any
// x < 2^(2n): q is at most floor(x / N) and less than 4 below x / N, because cutting x costs it at
// most B^u / N <= 2, cutting mu at most 1 and the last division less than 1. So r < 4N. For
// x < 2^n N moreover q < 2^n, and no product is longer than 2n bits rounded up to v limbs and those
// of 2^n.
class BarrettRing final : public TransformRing {
 public:
  // `multiplier` is kept alive by `backend`.
  BarrettRing(BackendPtr backend, const Multiplier& multiplier, const Integer& modulus);

  [[nodiscard]] Integer reduce(const Integer& x) const override;

 private:
  // With B^(u+v) / N, rounded down.
  BarrettRing(BackendPtr backend, const Multiplier& multiplier, const Integer& modulus,
              const Integer& reciprocal);

  [[nodiscard]] Integer reduce_sum(std::span<Limb> x) const override;
  // x -= 2^n N as long as that is possible. Requires that 2^n N fits in x.
  void trim(std::span<Limb> x) const;

  std::size_t cut_limbs_;    // u
  std::size_t quotient_at_;  // v
  Integer limit_;            // 2^n N
  PlanPtr short_plan_;       // remainders
  Spectrum reciprocal_;      // of mu under the plan of products
  Spectrum modulus_;         // of N under the short plan
};

// Z/N for N = 2^n - r with a short r: what exceeds n bits is multiplied by r.
//
// x = h 2^n + l = h r + l mod N, until h is 0 (libfhe/arith/complement.hpp). For a product x, h is
// as long as N: with an r of some 40 limbs the reduction takes a seventh of the product's time,
// where Barrett's takes more than the product.
class ComplementRing final : public TransformRing {
 public:
  // Whether the complement of N is short enough.
  [[nodiscard]] static bool suits(const Integer& modulus);

  // Requires that the modulus suits. `multiplier` is kept alive by `backend`.
  ComplementRing(BackendPtr backend, const Multiplier& multiplier, const Integer& modulus);

  [[nodiscard]] Integer reduce(const Integer& x) const override;

 private:
  [[nodiscard]] Integer reduce_sum(std::span<Limb> x) const override;

  Fold fold_;
};

}  // namespace fhe::cpu
