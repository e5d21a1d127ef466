// SPDX-License-Identifier: Apache-2.0
// The kernels in portable C++.
#include "accel/cpu/goldilocks/digits_portable.hpp"
#include "accel/cpu/goldilocks/kernel_table.hpp"
#include "accel/cpu/goldilocks/lanes_portable.hpp"
#include "accel/cpu/goldilocks/passes.hpp"

namespace fhe::cpu::goldilocks {

const KernelTable& portable_kernels() {
  static constexpr KernelTable kTable{
      kWidth,   forward_root, inverse_root,   forward_children, inverse_children,
      multiply, add_product,  split_portable, join_portable,
  };
  return kTable;
}

}  // namespace fhe::cpu::goldilocks
