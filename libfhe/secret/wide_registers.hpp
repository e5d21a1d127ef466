// SPDX-License-Identifier: Apache-2.0
// Overwriting the vector registers that not every processor has. Compiled for newer processors:
// call neither where the processor lacks what it is named after. Not installed.
#pragma once

namespace fhe {

// ymm0 to ymm15, and what they are parts of.
void wipe_avx_registers() noexcept;

// zmm16 to zmm31, through which copies of memory pass.
void wipe_avx512_registers() noexcept;

}  // namespace fhe
