// SPDX-License-Identifier: Apache-2.0
// The vector code with AVX2 and FMA.
#include "accel/cpu/simd/reals_avx2.hpp"
#include "accel/cpu/three_primes/digits_reals.hpp"
#include "accel/cpu/three_primes/points_reals.hpp"
#include "accel/cpu/three_primes/vector_code.hpp"

namespace fhe::cpu::three_primes {

const Kernels& avx2_kernels() {
  return kKernels;
}

}  // namespace fhe::cpu::three_primes
