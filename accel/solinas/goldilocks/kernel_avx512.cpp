// The engine with AVX-512 F, DQ, BW and VL.
#include "accel/solinas/goldilocks/digits_avx512.hpp"
#include "accel/solinas/goldilocks/engine.hpp"
#include "accel/solinas/goldilocks/lanes_avx512.hpp"
#include "accel/solinas/goldilocks/passes.hpp"

namespace fhe::solinas::goldilocks {

const Engine& avx512_engine() {
  static constexpr Engine kEngine{
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
  return kEngine;
}

}  // namespace fhe::solinas::goldilocks
