// The engine with AVX-512 F, DQ, BW, VL and IFMA.
#include "accel/solinas/goldilocks/digits_avx512.hpp"
#include "accel/solinas/goldilocks/engine.hpp"
#include "accel/solinas/goldilocks/lanes_ifma.hpp"
#include "accel/solinas/goldilocks/passes.hpp"

namespace fhe::solinas::goldilocks {

const Engine& ifma_engine() {
  static constexpr Engine kEngine{
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
  return kEngine;
}

}  // namespace fhe::solinas::goldilocks
