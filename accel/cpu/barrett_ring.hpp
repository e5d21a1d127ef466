// SPDX-License-Identifier: Apache-2.0
// Z/N on the engine: Barrett reduction with the spectra of N and of its reciprocal kept.
#pragma once

#include <span>

#include "accel/cpu/transform_ring.hpp"

namespace fhe::cpu {

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

}  // namespace fhe::cpu
