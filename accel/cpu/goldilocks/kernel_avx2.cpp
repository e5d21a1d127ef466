// SPDX-License-Identifier: Apache-2.0
// The kernels with AVX2.
#include "accel/cpu/goldilocks/digits_avx2.hpp"
#include "accel/cpu/goldilocks/kernel_table.hpp"
#include "accel/cpu/goldilocks/lanes_avx2.hpp"
#include "accel/cpu/goldilocks/passes.hpp"

namespace fhe::cpu::goldilocks {

const KernelTable& avx2_kernels() {
  static constexpr KernelTable kTable{
      kWidth,   forward_root, inverse_root, forward_children, inverse_children,
      multiply, add_product,  split_avx2,   join_avx2,
  };
  return kTable;
}

}  // namespace fhe::cpu::goldilocks
