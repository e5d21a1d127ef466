// The engine with AVX2.
#include "accel/solinas/goldilocks/digits_avx2.hpp"
#include "accel/solinas/goldilocks/engine.hpp"
#include "accel/solinas/goldilocks/lanes_avx2.hpp"
#include "accel/solinas/goldilocks/passes.hpp"

namespace fhe::solinas::goldilocks {

const Engine& avx2_engine() {
  static constexpr Engine kEngine{
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
  return kEngine;
}

}  // namespace fhe::solinas::goldilocks
