// SPDX-License-Identifier: Apache-2.0
// A whole recryption of the DGHV family as data, for a ring that does it at once: Ring::recrypt.
#pragma once

#include <cstddef>
#include <span>

#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/integer_stream.hpp"
#include "libfhe/arith/ring_step.hpp"
#include "libfhe/export.hpp"

namespace fhe {

// Elements that are added up, bit by bit of their windows: for each bit b of a window, the sum of
// the elements x_(first + i), i < count, whose window z_(first_window + i window_step) has bit b.
struct FHE_EXPORT WindowGroup {
  std::size_t first;         // element
  std::size_t count;         // of elements, at least 1
  std::size_t first_window;  // of element `first`
  std::size_t window_step;   // from the window of one element to that of the next, at least 1

  // Whether both are the same.
  friend bool operator==(const WindowGroup&, const WindowGroup&) = default;
};

// What to compute. A view: what it refers to must outlive it.
//
//   z_i    = Backend::product_windows of c and the factors: first those of `first_factors`, then
//            those of `other_factors`
//   inputs = for each group window_bits sums, bit 0 first; then the elements `singles`
//   result = the value of `output` after all steps, modulo N
struct FHE_EXPORT RecryptionTask {
  const Integer& c;                        // in [0, N)
  std::span<const Integer> first_factors;  // each of at most windows.modulus_bits bits
  const IntegerStream& other_factors;      // likewise
  WindowSpec windows;                      // what is kept of the products
  CorrectedStream elements;                // x_i
  std::span<const WindowGroup> groups;     // what is added up
  std::span<const std::size_t> singles;    // elements that are inputs themselves
  std::span<const RingStep> steps;         // from the inputs to the result
  std::size_t output;                      // an input or a step, counted behind the inputs

  // Number of inputs.
  [[nodiscard]] std::size_t inputs() const {
    return groups.size() * windows.window_bits + singles.size();
  }
  // Throws Error(invalid_argument) where an index has nothing that it stands for, or a condition
  // above is not kept.
  void check() const;
};

}  // namespace fhe
