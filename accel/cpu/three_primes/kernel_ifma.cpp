// SPDX-License-Identifier: Apache-2.0
// The vector code with AVX-512 IFMA.
#include "accel/cpu/simd/ifma.hpp"
#include "accel/cpu/three_primes/points_ifma.hpp"
// with these points:
#include "accel/cpu/three_primes/digits_ifma.hpp"
#include "accel/cpu/three_primes/vector_code.hpp"

namespace fhe::cpu::three_primes {

const Kernels& ifma_kernels() {
  return kKernels;
}

}  // namespace fhe::cpu::three_primes
