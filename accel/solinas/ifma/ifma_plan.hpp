// Transforms over three primes of 49 or 50 bits by AVX-512 IFMA: the fastest field. The digits are
// the limbs themselves; the digits of the product come from the three residues (Chinese
// remainders).
//
// To be used only where is_available(Kernel::ifma).
#pragma once

#include <cstddef>

#include "accel/solinas/transform.hpp"

namespace fhe::solinas {

// The longest plan: 2^21 limbs.
inline constexpr std::size_t kMaxIfmaPlanLimbs = std::size_t{1} << 21;

// The length of make_ifma_plan(min_limbs).
std::size_t ifma_plan_limbs(std::size_t min_limbs);

// The plan of at least min_limbs limbs that multiplies fastest; from 2048 limbs on at most a
// fifth longer than asked for, and mostly much closer. Throws Error(invalid_argument) when
// min_limbs > kMaxIfmaPlanLimbs.
PlanPtr make_ifma_plan(std::size_t min_limbs);

}  // namespace fhe::solinas
