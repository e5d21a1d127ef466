// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/three_primes/kernels.hpp"

#include <stdexcept>

namespace fhe::cpu::three_primes {

const Kernels& kernels_of(Kernel kernel) {
  switch (kernel) {
#if defined(__x86_64__)
    case Kernel::avx2:
      return avx2_kernels();
    case Kernel::avx512:
      return avx512_kernels();
    case Kernel::ifma:
      return ifma_kernels();
#ifdef FHE_AVXIFMA
    case Kernel::avxifma:
      return avxifma_kernels();
#endif
#elif defined(__aarch64__)
    case Kernel::neon:
      return neon_kernels();
#endif
    default:
      break;
  }
  throw std::logic_error("three primes: the portable kernel has none of this field");
}

}  // namespace fhe::cpu::three_primes
