// SPDX-License-Identifier: Apache-2.0
// Allocations of this process that fail on demand: operator new, and the malloc of everything that
// is linked in statically (see CMakeLists.txt).
#pragma once

#include <cstddef>

namespace fhe::test {

// Counts the allocations of all threads while it lives, and makes one of them fail: the one with
// this number, counted from 0. With kNone it only counts. One at a time.
class FailingAllocation {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  explicit FailingAllocation(std::size_t number = kNone);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;

  // How many there were so far.
  [[nodiscard]] std::size_t count() const;
};

}  // namespace fhe::test
