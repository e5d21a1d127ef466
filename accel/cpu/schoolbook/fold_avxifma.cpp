// SPDX-License-Identifier: Apache-2.0
// The vector code with AVX2 and AVX-IFMA.
#include "accel/cpu/schoolbook/cuts_avx2.hpp"
#include "accel/cpu/schoolbook/fold_code.hpp"

namespace fhe::cpu {

void avxifma_fold_digits(std::span<std::uint64_t> x, std::size_t n,
                         std::span<const std::uint64_t> r, std::uint64_t* tile) {
  fold_in_tiles(x, n, r, tile);
}

}  // namespace fhe::cpu
