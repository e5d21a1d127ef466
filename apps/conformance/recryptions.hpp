// SPDX-License-Identifier: Apache-2.0
// Recryptions to try, and what they give.
#pragma once

#include <cstddef>
#include <vector>

#include "apps/conformance/operands.hpp"
#include "libfhe/arith/recryption_task.hpp"
#include "libfhe/random/public_stream.hpp"

namespace fhe::conformance {

// A key, a ciphertext and what recryption makes of them.
struct Recryption {
  Integer c;
  std::vector<Integer> first_factors;
  PublicStream other_factors;
  WindowSpec windows;
  PublicStream elements;
  std::vector<Integer> corrections;
  std::vector<WindowGroup> groups;
  std::vector<std::size_t> singles;
  std::vector<RingStep> steps;
  std::size_t output = 0;

  [[nodiscard]] RecryptionTask task() const {
    return {.c = c,
            .first_factors = first_factors,
            .other_factors = other_factors,
            .windows = windows,
            .elements = {elements, corrections},
            .groups = groups,
            .singles = singles,
            .steps = steps,
            .output = output};
  }

  // By definition.
  [[nodiscard]] Integer result(const Integer& modulus) const;
};

// Blocks of neighbours, as CNT has them, with the first factors, `stored` of them, in the first
// block; then one group that takes every third window, as CMNT's rows do, and two elements by
// themselves. Random steps, some of whose values are never used.
Recryption random_recryption(Operands& operands, const Integer& modulus, std::size_t stored,
                             std::size_t window_bits);

}  // namespace fhe::conformance
