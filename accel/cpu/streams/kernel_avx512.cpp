// SPDX-License-Identifier: Apache-2.0
// The vector code with AVX-512 and AES-NI.
#include "accel/cpu/simd/avx512.hpp"
#include "accel/cpu/simd/blocks_aes.hpp"
#include "accel/cpu/streams/digits_halves.hpp"
#include "accel/cpu/streams/karatsuba_halves.hpp"
#include "accel/cpu/streams/vector_code.hpp"

namespace fhe::cpu {

const StreamKernels& avx512_stream_kernels() {
  static constexpr StreamKernels kTable =
      stream_table("AVX-512, AES-NI", Kernel::avx512, kKaratsubaKernels);
  return kTable;
}

}  // namespace fhe::cpu
