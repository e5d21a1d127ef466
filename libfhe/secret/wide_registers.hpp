// SPDX-License-Identifier: Apache-2.0
// Overwriting the vector registers, those that not every processor of an architecture has among
// them. Each is defined for its architecture alone; call none where the processor lacks what it is
// named after. Not installed.
#pragma once

namespace fhe {

// ymm0 to ymm15, and what they are parts of.
void wipe_avx_registers() noexcept;

// zmm16 to zmm31, through which copies of memory pass.
void wipe_avx512_registers() noexcept;

// v0 to v31 of AArch64.
void wipe_neon_registers() noexcept;

}  // namespace fhe
