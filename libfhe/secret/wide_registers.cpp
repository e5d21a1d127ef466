// SPDX-License-Identifier: Apache-2.0
#include "libfhe/secret/stack.hpp"

namespace fhe {

#if defined(__x86_64__)

void wipe_avx_registers() noexcept {
  asm volatile("vzeroall" ::
                   : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
                     "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}

void wipe_avx512_registers() noexcept {
  asm volatile(
      ".irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n\t"
      "vpxorq %%zmm\\n, %%zmm\\n, %%zmm\\n\n\t"
      ".endr" ::
          : "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24",
            "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31");
}

#elif defined(__aarch64__)

void wipe_neon_registers() noexcept {
  asm volatile(
      ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, "
      "23, 24, 25, 26, 27, 28, 29, 30, 31\n\t"
      "movi v\\n\\().2d, #0\n\t"
      ".endr" ::
          : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13",
            "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25",
            "v26", "v27", "v28", "v29", "v30", "v31");
}

#endif

}  // namespace fhe
