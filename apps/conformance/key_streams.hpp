// SPDX-License-Identifier: Apache-2.0
// Streams like those of keys, and what is summed over them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apps/conformance/operands.hpp"
#include "apps/conformance/trial.hpp"
#include "libfhe/arith/integer_stream.hpp"
#include "libfhe/arith/weights.hpp"

namespace fhe::conformance {

// A stream, corrections for it (or none) and a modulus.
struct KeyStream {
  std::unique_ptr<IntegerStream> elements;
  std::vector<Integer> corrections;
  Integer modulus;

  [[nodiscard]] CorrectedStream view() const { return {*elements, corrections}; }
};

// Random elements in memory. Corrections run up to a little beyond the elements, so that some x_i
// are negative.
KeyStream stored_key(Operands& operands, std::size_t count, std::size_t bits, bool corrected);

// One whose elements are all 2^bits - 1.
KeyStream full_key(Operands& operands, std::size_t count, std::size_t bits);

// Elements from the public generator.
KeyStream public_key(Operands& operands, std::size_t count, std::size_t bits);

// Short and long elements around limb borders; the long ones span several slices of a pass.
struct StreamShape {
  std::size_t count;
  std::size_t bits;
};
inline constexpr StreamShape kShapes[] = {{1, 1},     {1, 64},      {2, 63},     {3, 65},
                                          {5, 1},     {7, 128},     {64, 130},   {65, 1000},
                                          {200, 777}, {12, 32'768}, {9, 32'769}, {4, 70'001}};

// `ones` distinct positions below `bits` for each of `count` weights.
SparseWeights sparse(Operands& operands, std::size_t count, std::size_t ones, std::size_t bits);

// Masks of all kinds, empty and full ones among them.
BlockSelection selection(Operands& operands, std::size_t count, std::size_t block_size,
                         unsigned width);

// Calls `body` once with the default number of threads, with fewer, and with more than this machine
// may have. It gets words for it: "on two threads".
void for_thread_counts(const std::function<void(std::string_view on_threads)>& body);

// The longest operand to try: a megabit, or half of what the backend takes.
std::size_t long_bits(const Backend& backend);

}  // namespace fhe::conformance
