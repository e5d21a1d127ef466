// The engine in portable C++.
#include "accel/solinas/goldilocks/digits_portable.hpp"
#include "accel/solinas/goldilocks/engine.hpp"
#include "accel/solinas/goldilocks/lanes_portable.hpp"
#include "accel/solinas/goldilocks/passes.hpp"

namespace fhe::solinas::goldilocks {

const Engine& portable_engine() {
  static constexpr Engine kEngine{
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
  return kEngine;
}

}  // namespace fhe::solinas::goldilocks
