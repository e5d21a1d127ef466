// SPDX-License-Identifier: Apache-2.0
// What a batch of dense sums over a stream is made of.
#pragma once

#include <cstddef>

namespace fhe::cpu {

struct SumSizes {
  std::size_t element_bits;  // at least 1
  std::size_t elements;      // at least 1
  std::size_t weight_bits;   // of the longest weight
  std::size_t sets;          // sets of weights, at least 1
};

}  // namespace fhe::cpu
