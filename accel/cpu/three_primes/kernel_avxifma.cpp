// SPDX-License-Identifier: Apache-2.0
// The vector code with AVX2 and AVX-IFMA.
#include "accel/cpu/simd/avxifma.hpp"
#include "accel/cpu/three_primes/points_avxifma.hpp"
// with these points:
#include "accel/cpu/three_primes/digits_ifma.hpp"
#include "accel/cpu/three_primes/vector_code.hpp"

namespace fhe::cpu::three_primes {

const Kernels& avxifma_kernels() {
  return kKernels;
}

}  // namespace fhe::cpu::three_primes
