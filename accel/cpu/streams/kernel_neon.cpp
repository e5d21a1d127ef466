// SPDX-License-Identifier: Apache-2.0
// The vector code with NEON and the cryptographic extension.
#include "accel/cpu/simd/blocks_neon.hpp"
#include "accel/cpu/simd/neon.hpp"
#include "accel/cpu/streams/digits_halves.hpp"
#include "accel/cpu/streams/karatsuba_halves.hpp"
#include "accel/cpu/streams/vector_code.hpp"

namespace fhe::cpu {

const StreamKernels& neon_stream_kernels() {
  static constexpr StreamKernels kTable =
      stream_table("NEON, AES", Kernel::neon, kKaratsubaKernels);
  return kTable;
}

}  // namespace fhe::cpu
