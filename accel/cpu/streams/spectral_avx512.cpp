// SPDX-License-Identifier: Apache-2.0
// Sums in the transform domain with AVX-512.
#include "accel/cpu/simd/reals_avx512.hpp"
#include "accel/cpu/streams/point_sums_reals.hpp"
#include "accel/cpu/streams/spectral_code.hpp"

namespace fhe::cpu {

const SpectralKernel& avx512_spectral_kernel() {
  return kSpectralKernel;
}

}  // namespace fhe::cpu
