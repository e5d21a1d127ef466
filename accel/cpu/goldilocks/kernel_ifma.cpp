// SPDX-License-Identifier: Apache-2.0
// The kernels with AVX-512 F, DQ, BW, VL and IFMA.
#include "accel/cpu/goldilocks/digits_avx512.hpp"
#include "accel/cpu/goldilocks/kernel_table.hpp"
#include "accel/cpu/goldilocks/lanes_ifma.hpp"
#include "accel/cpu/goldilocks/passes.hpp"

namespace fhe::cpu::goldilocks {

const KernelTable& ifma_kernels() {
  static constexpr KernelTable kTable{
      kWidth,   forward_root, inverse_root, forward_children, inverse_children,
      multiply, add_product,  split_avx512, join_avx512,
  };
  return kTable;
}

}  // namespace fhe::cpu::goldilocks
