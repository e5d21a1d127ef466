// SPDX-License-Identifier: Apache-2.0
// Points near a lattice, by rounding their coordinates in a reduced basis (Babai 1986).
#pragma once

#include <optional>
#include <vector>

#include "libfhe/arith/integer.hpp"

namespace fhe::attack {

// Rounds points (c, 0, ..., 0). Immutable; any number of threads may use it.
class Rounding {
 public:
  // Requires as many rows as columns. Nothing where the rows are dependent. One thread at a time
  // (NTL).
  static std::optional<Rounding> to(std::vector<std::vector<Integer>> basis);

  // (c, 0, ..., 0) less the point of the lattice that it rounds to.
  [[nodiscard]] std::vector<Integer> remainder(const Integer& c) const;

 private:
  Rounding() = default;

  std::vector<std::vector<Integer>> basis_;
  std::vector<Integer> first_;  // over the determinant: the coordinates of (1, 0, ..., 0)
  Integer determinant_;
};

}  // namespace fhe::attack
