// SPDX-License-Identifier: Apache-2.0
// Sums in the transform domain with AVX2 and FMA.
#include "accel/cpu/simd/reals_avx2.hpp"
#include "accel/cpu/streams/point_sums_reals.hpp"
#include "accel/cpu/streams/spectral_code.hpp"

namespace fhe::cpu {

const SpectralKernel& avx2_spectral_kernel() {
  return kSpectralKernel;
}

}  // namespace fhe::cpu
