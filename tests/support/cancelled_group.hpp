// SPDX-License-Identifier: Apache-2.0
// A task group of oneTBB that its owner has cancelled, as the button of a program would.
#pragma once

#include <functional>

#include <tbb/task.h>
#include <tbb/task_group.h>

namespace fhe::test {

// Calls `operation` in a task of a group that is cancelled already, and waits for it. What it
// throws is rethrown.
inline void in_cancelled_group(const std::function<void()>& operation) {
  tbb::task_group group;
  group.run_and_wait([&] {
    tbb::task::current_context()->cancel_group_execution();
    operation();
  });
}

}  // namespace fhe::test
