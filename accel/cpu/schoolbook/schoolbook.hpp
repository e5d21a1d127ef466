// SPDX-License-Identifier: Apache-2.0
// Products with short factors, digit by digit: of the reduction modulo 2^n - r, and plain ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "accel/cpu/kernel.hpp"
#include "accel/cpu/schoolbook/fold_kernel.hpp"
#include "libfhe/arith/integer.hpp"

namespace fhe::cpu {

// x = h 2^n + l becomes h r + l, which is the same modulo 2^n - r: the step of reduction for such
// moduli, in one pass over x. Every digit of h is multiplied with every digit of r, which for an r
// of a few thousand bits takes a tenth of the time of a product by transforms.
//
// The fold for an n and an r. Immutable.
class Fold {
 public:
  // The longest r for which this is the way to reduce.
  static constexpr std::size_t kMaxBits = 4096;

  // Requires n >= 64, 0 < r < 2^kMaxBits, r <= 2^(n/2) and that the kernel is available.
  Fold(std::size_t n, const Integer& r, Kernel kernel);

  // x = h r + l, which is less than x, unless h is 0; x may have any length.
  void fold(std::span<Limb> x) const;

  // The limbs of r.
  [[nodiscard]] std::size_t factor_limbs() const { return limbs_.size(); }

 private:
  std::size_t bits_;                   // n
  std::vector<Limb> limbs_;            // of r
  std::vector<std::uint64_t> digits_;  // of r, of 52 bits, for the vector kernel; or none
  FoldDigits fold_digits_;             // of the vector kernel; or null
};

// Products with a short factor, of up to some 6400 bits: every digit of the one with every digit of
// the other, on the vector kernel of the fold. It takes a quarter to a sixth of the time of GMP
// where the other factor is long, and less than transforms do.

// The longest short factor, in limbs; from some 110 on transforms are faster.
inline constexpr std::size_t kMaxSchoolbookLimbs = 100;

// Whether this is the fastest way to multiply numbers of so many limbs, short_limbs <= long_limbs,
// or to square one: with the kernels of 52-bit products alone, as measured on Zen 5.
[[nodiscard]] bool schoolbook_pays(Kernel kernel, std::size_t short_limbs, std::size_t long_limbs,
                                   bool square);

// |longer| |shorter|. Requires that the processor runs the kernel, which is Kernel::ifma or
// Kernel::avxifma, and that the shorter number has 1 to kMaxSchoolbookLimbs limbs, and the other
// one at least as many.
[[nodiscard]] Integer schoolbook_product(Kernel kernel, const Integer& longer,
                                         const Integer& shorter);

}  // namespace fhe::cpu
