// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/ring_program.hpp"

#include <algorithm>
#include <cstdint>

#include "libfhe/error.hpp"

namespace fhe {

namespace {

void require(bool condition) {
  if (!condition) {
    throw Error(ErrorCode::invalid_argument,
                "a program of a ring names an element, a window or a value that there is not");
  }
}

// Whether first + i step < end for all i < count.
bool is_inside(std::size_t first, std::size_t count, std::size_t step, std::size_t end) {
  return count >= 1 && step >= 1 && first < end && (count - 1) <= (end - 1 - first) / step;
}

}  // namespace

void RingProgram::check(std::span<const Integer> cs) const {
  const std::size_t count = streamed() + kept.size();
  const std::size_t all_windows = product_windows() + residues.windows();
  require(std::ranges::all_of(cs, [](const Integer& c) { return sgn(c) >= 0; }));
  require(windows.window_bits >= 1 && windows.window_bits <= 32 &&
          windows.window_bits < windows.modulus_bits);
  require(other_factors == nullptr || other_factors->bits() <= windows.modulus_bits);
  require(std::ranges::all_of(first_factors, [&](const Integer& y) {
    return sgn(y) >= 0 && bit_length(y) <= windows.modulus_bits;
  }));
  require(residues.factors.empty() ||
          (residues.count >= 1 && residues.step <= SIZE_MAX / residues.count));
  require(std::ranges::all_of(elements, [](const CorrectedStream& stream) {
    return stream.corrections.empty() || stream.corrections.size() == stream.elements.count();
  }));
  for (const WindowGroup& group : groups) {
    require(is_inside(group.first, group.count, 1, count));
    require(is_inside(group.first_window, group.count, group.window_step, all_windows));
    require(std::uint64_t{group.plus} >> windows.window_bits == 0);
  }
  require(std::ranges::all_of(singles, [&](std::size_t single) { return single < count; }));
  std::size_t values = inputs();
  for (const RingStep& step : steps) {
    require(step.left < values && step.right < values);
    ++values;
  }
  require(output < values);
}

}  // namespace fhe
