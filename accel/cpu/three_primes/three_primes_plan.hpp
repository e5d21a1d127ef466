// SPDX-License-Identifier: Apache-2.0
// Transforms over three primes of 49 or 50 bits, the fastest field: by the 52-bit products of
// AVX-512 IFMA, or by fused multiply-adds in double precision. The digits are the limbs themselves;
// the digits of the product come from the three residues (Chinese remainders).
#pragma once

#include <cstddef>

#include "accel/cpu/kernel.hpp"
#include "accel/cpu/transform.hpp"

namespace fhe::cpu {

// The longest plan: 2^21 limbs.
inline constexpr std::size_t kMaxThreePrimesPlanLimbs = std::size_t{1} << 21;

// The length of make_three_primes_plan(min_limbs, kernel), whatever the kernel.
std::size_t three_primes_plan_limbs(std::size_t min_limbs);

// The plan of at least min_limbs limbs that multiplies fastest; from 2048 limbs on at most a
// fifth longer than asked for, and mostly much closer. Throws Error(invalid_argument) when
// min_limbs > kMaxThreePrimesPlanLimbs. Requires an available kernel other than the portable one.
PlanPtr make_three_primes_plan(std::size_t min_limbs, Kernel kernel);

}  // namespace fhe::cpu
