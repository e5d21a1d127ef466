// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/recryption_task.hpp"

#include <algorithm>

#include "libfhe/arith/stream_kernels.hpp"
#include "libfhe/error.hpp"

namespace fhe {

namespace {

void require(bool condition) {
  if (!condition) {
    throw Error(ErrorCode::invalid_argument,
                "a recryption names an element, a window or a value that there is not");
  }
}

// Whether first + i step < end for all i < count.
bool is_inside(std::size_t first, std::size_t count, std::size_t step, std::size_t end) {
  return count >= 1 && step >= 1 && first < end && (count - 1) <= (end - 1 - first) / step;
}

}  // namespace

void RecryptionTask::check() const {
  const std::size_t count = elements.elements.count();
  const std::size_t factors = first_factors.size() + other_factors.count();
  require(is_window(windows, c, other_factors));
  require(elements.corrections.empty() || elements.corrections.size() == count);
  require(std::ranges::all_of(first_factors, [&](const Integer& y) {
    return sgn(y) >= 0 && bit_length(y) <= windows.modulus_bits;
  }));
  for (const WindowGroup& group : groups) {
    require(is_inside(group.first, group.count, 1, count));
    require(is_inside(group.first_window, group.count, group.window_step, factors));
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
