// SPDX-License-Identifier: Apache-2.0
// The vector code with AVX2 and AES-NI.
#include "accel/cpu/simd/avx2.hpp"
#include "accel/cpu/simd/blocks_aes.hpp"
#include "accel/cpu/streams/digits_halves.hpp"
#include "accel/cpu/streams/karatsuba_halves.hpp"
#include "accel/cpu/streams/vector_code.hpp"

namespace fhe::cpu {

const StreamKernels& avx2_stream_kernels() {
  static constexpr StreamKernels kTable =
      stream_table("AVX2, AES-NI", Kernel::avx2, kKaratsubaKernels);
  return kTable;
}

}  // namespace fhe::cpu
