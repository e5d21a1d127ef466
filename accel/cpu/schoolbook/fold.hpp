// SPDX-License-Identifier: Apache-2.0
// x = h 2^n + l becomes h r + l, which is the same modulo 2^n - r: the step of reduction for such
// moduli, in one pass over x. Every digit of h is multiplied with every digit of r, which for an r
// of a few thousand bits takes a tenth of the time of a product by transforms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "accel/cpu/kernel.hpp"
#include "accel/cpu/schoolbook/fold_kernel.hpp"
#include "libfhe/arith/integer.hpp"

namespace fhe::cpu {

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

}  // namespace fhe::cpu
