// SPDX-License-Identifier: Apache-2.0
// Sums in the transform domain with AVX-512 and IFMA.
#include "accel/cpu/simd/ifma.hpp"
#include "accel/cpu/streams/point_sums_ifma.hpp"
#include "accel/cpu/streams/spectral_code.hpp"

namespace fhe::cpu {

const SpectralKernel& ifma_spectral_kernel() {
  return kSpectralKernel;
}

}  // namespace fhe::cpu
