// SPDX-License-Identifier: Apache-2.0
// The vector code with AVX2 and VAES.
#include "accel/cpu/simd/avx2.hpp"
#include "accel/cpu/simd/vaes256.hpp"
#include "accel/cpu/streams/digits_halves.hpp"
#include "accel/cpu/streams/karatsuba_halves.hpp"
#include "accel/cpu/streams/vector_code.hpp"

namespace fhe::cpu {

const StreamKernels& avx2_vaes_stream_kernels() {
  static constexpr StreamKernels kTable =
      stream_table("AVX2, VAES", Kernel::avx2, kKaratsubaKernels);
  return kTable;
}

}  // namespace fhe::cpu
