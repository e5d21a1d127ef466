// SPDX-License-Identifier: Apache-2.0
// Sums in the transform domain with NEON.
#include "accel/cpu/simd/reals_neon.hpp"
#include "accel/cpu/streams/point_sums_reals.hpp"
#include "accel/cpu/streams/spectral_code.hpp"

namespace fhe::cpu {

const SpectralKernel& neon_spectral_kernel() {
  return kSpectralKernel;
}

}  // namespace fhe::cpu
