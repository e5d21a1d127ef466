// SPDX-License-Identifier: Apache-2.0
// The vector code with AVX-512 IFMA.
#include "accel/cpu/schoolbook/cuts_avx512.hpp"
#include "accel/cpu/schoolbook/fold_code.hpp"

namespace fhe::cpu {

void ifma_fold_digits(std::span<std::uint64_t> x, std::size_t n, std::span<const std::uint64_t> r,
                      std::uint64_t* tile) {
  fold_in_tiles(x, n, r, tile);
}

}  // namespace fhe::cpu
