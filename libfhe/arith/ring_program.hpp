// SPDX-License-Identifier: Apache-2.0
// A computation of a ring as data, such as a whole recryption: Ring::run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/integer_stream.hpp"
#include "libfhe/arith/ring.hpp"
#include "libfhe/arith/ring_step.hpp"
#include "libfhe/export.hpp"

namespace fhe {

// Windows of residues: with r = c y_k 2^(j step) mod N, j < count, the bits of r / N and, above
// them, that of the parity of r:
//
//   z_(k count + j) = round(2^(w-1) r / N) + 2^(w-1) (r mod 2)  mod 2^w,     w = window_bits.
//
// Requires an odd N.
struct FHE_EXPORT ResidueWindows {
  std::span<const Operand> factors;  // y_k in [0, N)
  std::size_t count = 0;             // of each factor, at least 1 where there are any
  std::size_t step = 0;              // bits

  // How many there are.
  [[nodiscard]] std::size_t windows() const { return factors.size() * count; }
};

// Elements that are added up, bit by bit of their windows: for each bit b of a window, the sum of
// the elements x_(first + i), i < count, for which z_(first_window + i window_step) + plus has bit
// b.
struct FHE_EXPORT WindowGroup {
  std::size_t first;         // element
  std::size_t count;         // of elements, at least 1
  std::size_t first_window;  // of element `first`
  std::size_t window_step;   // from the window of one element to that of the next, at least 1
  std::uint32_t plus = 0;    // less than 2^window_bits

  // Whether both are the same.
  friend bool operator==(const WindowGroup&, const WindowGroup&) = default;
};

// A number that is known when a program is made.
struct FHE_EXPORT RingConstant {
  Integer value;                 // in (-N, N)
  unsigned long inverse_of = 0;  // if not 0, value is its inverse modulo N: products with it are
                                 // divisions, which take linear time on a host

  // Whether both are the same.
  friend bool operator==(const RingConstant&, const RingConstant&) = default;
};

// How many numbers a caller should give to one run of a program: so many share the passes over the
// streams.
inline constexpr std::size_t kRunTogether = 8;

// What to compute of a number c in [0, N). A view: what it refers to must outlive it.
//
//   z_i    = Backend::product_windows of c and the factors: first those of `first_factors`, then
//            those of `other_factors`; behind them the windows of `residues`
//   x_i    = the elements of all streams, one stream after the other; behind them those of `kept`
//   inputs = for each group window_bits sums, bit 0 first; then the elements `singles`; then the
//            `constants`
//   result = the value of `output` after all steps, modulo N
struct FHE_EXPORT RingProgram {
  std::span<const Integer> first_factors;     // each of at most windows.modulus_bits bits
  const IntegerStream* other_factors;         // likewise; null: there are none
  WindowSpec windows;                         // what is kept of the products
  ResidueWindows residues;                    // windows of another kind
  std::span<const CorrectedStream> elements;  // x_i
  std::span<const Operand> kept;              // more of them, in [0, N)
  std::span<const WindowGroup> groups;        // what is added up
  std::span<const std::size_t> singles;       // elements that are inputs themselves
  std::span<const RingConstant> constants;    // more of them
  std::span<const RingStep> steps;            // from the inputs to the result
  std::size_t output;                         // an input or a step, counted behind the inputs

  // Number of windows that are of products.
  [[nodiscard]] std::size_t product_windows() const {
    return first_factors.size() + (other_factors == nullptr ? 0 : other_factors->count());
  }
  // Number of elements of streams.
  [[nodiscard]] std::size_t streamed() const {
    std::size_t count = 0;
    for (const CorrectedStream& stream : elements) count += stream.elements.count();
    return count;
  }
  // Number of inputs.
  [[nodiscard]] std::size_t inputs() const {
    return groups.size() * windows.window_bits + singles.size() + constants.size();
  }
  // Throws Error(invalid_argument) where an index has nothing that it stands for, or a condition
  // above is not kept, as far as it can be seen without N; for these numbers too.
  void check(std::span<const Integer> cs) const;
};

}  // namespace fhe
