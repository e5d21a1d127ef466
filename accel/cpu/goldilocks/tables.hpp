// SPDX-License-Identifier: Apache-2.0
// The pass plan of a transform and the memory that it refers to.
#pragma once

#include <cstddef>
#include <vector>

#include "accel/cpu/goldilocks/pass_plan.hpp"
#include "accel/cpu/transform.hpp"

namespace fhe::cpu::goldilocks {

// Radices of the levels above the leaves for `points` = 2^k >= 128 or 3 * 2^k >= 384: 16, but the
// first is the one of 8, 16, 32, 64 or 6, 12, 24, 48 that makes the product right.
std::vector<unsigned> radices(std::size_t points);

// The exponent e of every node below `levels`, in storage order: the node is a polynomial modulo
// x^n - root^(e n), root the root of unity of order `points`.
std::vector<std::size_t> node_exponents(const std::vector<unsigned>& levels);

class Tables {
 public:
  // For a kernel of `lanes` lanes.
  Tables(std::size_t points, std::size_t lanes);

  [[nodiscard]] const PassPlan& passes() const { return passes_; }

 private:
  PassPlan passes_;
  std::vector<Spectrum> memory_;
};

}  // namespace fhe::cpu::goldilocks
