// SPDX-License-Identifier: Apache-2.0
// The vector code with AVX-512 without IFMA.
#include "accel/cpu/simd/reals_avx512.hpp"
#include "accel/cpu/three_primes/digits_reals.hpp"
#include "accel/cpu/three_primes/points_reals.hpp"
#include "accel/cpu/three_primes/vector_code.hpp"

namespace fhe::cpu::three_primes {

const Kernels& avx512_kernels() {
  return kKernels;
}

}  // namespace fhe::cpu::three_primes
