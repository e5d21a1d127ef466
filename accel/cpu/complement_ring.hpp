// SPDX-License-Identifier: Apache-2.0
// Z/N on the engine for N = 2^n - r with a short r: what exceeds n bits is multiplied by r.
#pragma once

#include <span>

#include "accel/cpu/schoolbook/fold.hpp"
#include "accel/cpu/transform_ring.hpp"

namespace fhe::cpu {

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
