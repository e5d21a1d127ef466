// SPDX-License-Identifier: Apache-2.0
// The kernels in portable C++.
#include "accel/cpu/goldilocks/digits_portable.hpp"
#include "accel/cpu/goldilocks/kernel_table.hpp"
#include "accel/cpu/goldilocks/lanes_portable.hpp"
#include "accel/cpu/goldilocks/passes.hpp"

namespace fhe::cpu::goldilocks {

const KernelTable& portable_kernels() {
  static constexpr KernelTable kTable{
      PortableLanes::kWidth,
      forward_root<PortableLanes>,
      inverse_root<PortableLanes>,
      forward_children<PortableLanes>,
      inverse_children<PortableLanes>,
      multiply<PortableLanes>,
      add_product<PortableLanes>,
      split_portable,
      join_portable,
  };
  return kTable;
}

}  // namespace fhe::cpu::goldilocks
