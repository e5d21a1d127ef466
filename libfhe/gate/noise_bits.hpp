// SPDX-License-Identifier: Apache-2.0
// Noise bounds as an algebra: what the gates of an Evaluator do to them. Not installed.
#pragma once

#include "libfhe/algebra/algebra.hpp"
#include "libfhe/scheme/noise.hpp"

namespace fhe {

struct NoiseBits {
  const NoiseRule& rule;

  [[nodiscard]] static NoiseBound constant(bool /*bit*/) { return {}; }
  [[nodiscard]] NoiseBound xor_gate(NoiseBound x, NoiseBound y) const { return rule.sum(x, y); }
  [[nodiscard]] NoiseBound and_gate(NoiseBound x, NoiseBound y) const { return rule.product(x, y); }
  [[nodiscard]] NoiseBound not_gate(NoiseBound x) const { return rule.sum(x, NoiseBound()); }
};

static_assert(BitAlgebra<const NoiseBits>);

}  // namespace fhe
