// The kernels with AVX2.
#include "accel/solinas/goldilocks/digits_avx2.hpp"
#include "accel/solinas/goldilocks/kernel_table.hpp"
#include "accel/solinas/goldilocks/lanes_avx2.hpp"
#include "accel/solinas/goldilocks/passes.hpp"

namespace fhe::solinas::goldilocks {

const KernelTable& avx2_kernels() {
  static constexpr KernelTable kTable{
      Avx2Lanes::kWidth,
      forward_root<Avx2Lanes>,
      inverse_root<Avx2Lanes>,
      forward_children<Avx2Lanes>,
      inverse_children<Avx2Lanes>,
      multiply<Avx2Lanes>,
      add_product<Avx2Lanes>,
      split_avx2,
      join_avx2,
  };
  return kTable;
}

}  // namespace fhe::solinas::goldilocks
