// SPDX-License-Identifier: Apache-2.0
// The kernels with AVX-512 F, DQ, BW and VL.
#include "accel/cpu/goldilocks/digits_avx512.hpp"
#include "accel/cpu/goldilocks/kernel_table.hpp"
#include "accel/cpu/goldilocks/lanes_avx512.hpp"
#include "accel/cpu/goldilocks/passes.hpp"

namespace fhe::cpu::goldilocks {

const KernelTable& avx512_kernels() {
  static constexpr KernelTable kTable{
      Avx512Lanes::kWidth,
      forward_root<Avx512Lanes>,
      inverse_root<Avx512Lanes>,
      forward_children<Avx512Lanes>,
      inverse_children<Avx512Lanes>,
      multiply<Avx512Lanes>,
      add_product<Avx512Lanes>,
      split_avx512,
      join_avx512,
  };
  return kTable;
}

}  // namespace fhe::cpu::goldilocks
