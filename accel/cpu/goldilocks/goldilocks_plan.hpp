// SPDX-License-Identifier: Apache-2.0
// Products by transforms over the Solinas ("Goldilocks") prime p = 2^64 - 2^32 + 1.
//
// A plan for N points cuts integers into N digits of b bits and works modulo 2^(N b) - 1. A point
// of the cyclic convolution is a sum of N products of digits, and t products may be accumulated,
// while
//
//   t N (2^b - 1)^2 < p,
//
// because then the convolution of integers is its own residue. Results need no further proof: they
// do not depend on the kernel or on the number of threads.
#pragma once

#include <cstddef>

#include "accel/cpu/kernel.hpp"
#include "accel/cpu/transform.hpp"

namespace fhe::cpu {

// limbs() of the plan that make_goldilocks_plan gives.
// @throws std::length_error when no plan is that long (5 million limbs).
std::size_t goldilocks_plan_limbs(std::size_t min_limbs);

// The plan with the fewest points, and of these the shortest, with limbs() >= min_limbs. `kernel`
// must be available.
// @throws std::length_error as above.
PlanPtr make_goldilocks_plan(std::size_t min_limbs, Kernel kernel);

}  // namespace fhe::cpu
