// SPDX-License-Identifier: Apache-2.0
// Transforms over three primes of 49 or 50 bits by AVX-512 IFMA: the fastest field. The digits are
// the limbs themselves; the digits of the product come from the three residues (Chinese
// remainders).
//
// To be used only where is_available(Kernel::ifma).
#pragma once

#include <cstddef>

#include "accel/cpu/transform.hpp"

namespace fhe::cpu {

// The longest plan: 2^21 limbs.
inline constexpr std::size_t kMaxThreePrimesPlanLimbs = std::size_t{1} << 21;

// The length of make_three_primes_plan(min_limbs).
std::size_t three_primes_plan_limbs(std::size_t min_limbs);

// The plan of at least min_limbs limbs that multiplies fastest; from 2048 limbs on at most a
// fifth longer than asked for, and mostly much closer. Throws Error(invalid_argument) when
// min_limbs > kMaxThreePrimesPlanLimbs.
PlanPtr make_three_primes_plan(std::size_t min_limbs);

}  // namespace fhe::cpu
