// The kernels with AVX-512 F, DQ, BW, VL and IFMA.
#include "accel/solinas/goldilocks/digits_avx512.hpp"
#include "accel/solinas/goldilocks/kernel_table.hpp"
#include "accel/solinas/goldilocks/lanes_ifma.hpp"
#include "accel/solinas/goldilocks/passes.hpp"

namespace fhe::solinas::goldilocks {

const KernelTable& ifma_kernels() {
  static constexpr KernelTable kTable{
      IfmaLanes::kWidth,
      forward_root<IfmaLanes>,
      inverse_root<IfmaLanes>,
      forward_children<IfmaLanes>,
      inverse_children<IfmaLanes>,
      multiply<IfmaLanes>,
      add_product<IfmaLanes>,
      split_avx512,
      join_avx512,
  };
  return kTable;
}

}  // namespace fhe::solinas::goldilocks
