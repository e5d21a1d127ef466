// SPDX-License-Identifier: Apache-2.0
// Products with a short factor, of up to some 6400 bits: every digit of the one with every digit of
// the other, on the vector kernel of the fold. It takes a quarter to a sixth of the time of GMP
// where the other factor is long, and less than transforms do.
#pragma once

#include <cstddef>

#include "accel/cpu/kernel.hpp"
#include "libfhe/arith/integer.hpp"

namespace fhe::cpu {

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
