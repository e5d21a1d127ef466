// SPDX-License-Identifier: Apache-2.0
#include "libfhe/secret/wide_registers.hpp"

namespace fhe {

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

}  // namespace fhe
