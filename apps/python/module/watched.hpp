// SPDX-License-Identifier: Apache-2.0
// Long calls of the library from Python: without the interpreter's lock, watched, and stopped by
// Ctrl-C.
#pragma once

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "libfhe/monitor.hpp"

namespace fhe::python {

// Calls `work` on a thread of its own with a monitor, and waits without the interpreter's lock. The
// monitor reports to the callback of `fhe.progress`. When a handler of a signal raises (Ctrl-C:
// KeyboardInterrupt) or the callback does, the work is stopped, and what was raised is thrown as
// soon as it has ended; otherwise what `work` throws. Handlers run in the main thread of Python
// alone, so calls of other threads go on. Requires the interpreter's lock.
void run_watched(const std::function<void(const Monitor&)>& work);

// The result of work(monitor), which is called as by run_watched.
template <class Work>
auto watched(const Work& work) {
  using Result = std::invoke_result_t<const Work&, const Monitor&>;
  if constexpr (std::is_void_v<Result>) {
    run_watched(work);
  } else {
    std::optional<Result> result;
    run_watched([&](const Monitor& monitor) { result.emplace(work(monitor)); });
    return std::move(*result);
  }
}

}  // namespace fhe::python
