// SPDX-License-Identifier: Apache-2.0
// Parallel loops and tasks. The only file (with its source) that knows oneTBB.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "libfhe/export.hpp"

namespace fhe {

// Calls body(i) for every i in [0, count), on the threads that the current ThreadLimit allows, in
// any order. Returns only when all are done: a loop that has returned is complete, whatever becomes
// of the threads, loops and task groups around it. The first exception thrown by a body is rethrown
// here after the other bodies have ended; those not yet started may then be skipped. May be nested.
// A body that cancels its own oneTBB group makes the loop throw Error(stopped).
FHE_EXPORT void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body);

// Work that makes more work: calls `work` `count` times, and for each call as many times more as it
// returns, on the threads that the current ThreadLimit allows; returns when no call is left.
// Exceptions, nesting and completeness are as for parallel_for. While a loop inside a call waits
// for its bodies, its thread takes up no other call. With `threads` >= 1 on up to so many, even if
// the machine has fewer: for work that waits more than it computes.
FHE_EXPORT void parallel_work(std::size_t count, const std::function<std::size_t()>& work,
                              std::optional<std::size_t> threads = {});

// Calls `work`; while a loop in it waits for its bodies, this thread takes up no other work. It is
// for code that must not be entered again on the same thread: a thread that waits inside
// std::call_once, or with a lock held, could otherwise take up a body of an outer loop, which then
// waits for that same lock.
FHE_EXPORT void without_other_work(const std::function<void()>& work);

// While alive, limits the whole process to `threads` >= 1 threads inside library calls; with 0 the
// machine decides: all its processors, or the fewer that a quota of its control group leaves
// (docker run --cpus). Several limits may be alive; the smallest one counts, not the quota.
class FHE_EXPORT ThreadLimit {
 public:
  // Limits the process from now on.
  explicit ThreadLimit(std::size_t threads);
  ~ThreadLimit();
  // The limit goes on in the object that it is moved to.
  ThreadLimit(ThreadLimit&&) noexcept;
  ThreadLimit& operator=(ThreadLimit&&) noexcept;

 private:
  struct Control;
  std::unique_ptr<Control> control_;
};

// Number of threads that parallel_for may use at present.
FHE_EXPORT std::size_t thread_count();

}  // namespace fhe
