// SPDX-License-Identifier: Apache-2.0
// The vector code with NEON.
#include "accel/cpu/simd/reals_neon.hpp"
#include "accel/cpu/three_primes/digits_reals.hpp"
#include "accel/cpu/three_primes/points_reals.hpp"
#include "accel/cpu/three_primes/vector_code.hpp"

namespace fhe::cpu::three_primes {

const Kernels& neon_kernels() {
  return kKernels;
}

}  // namespace fhe::cpu::three_primes
