// SPDX-License-Identifier: Apache-2.0
// Parallel loops as they would be on more threads than there are.
#pragma once

#include <cstddef>
#include <functional>

#include "libfhe/export.hpp"

namespace fhe {

// While alive, the loops of parallel_for on the thread that made it run on that thread alone, one
// body after the other, and thread_count() says `threads` there, so that work is parted as for so
// many. seconds() estimates what it would have taken them, by list scheduling: the bodies of a loop
// are given out in order, each to the thread that is free first, and a loop of fewer bodies than
// threads shares the others among the loops inside its bodies. All else is serial. An estimate has
// no cost for starting loops and none for memory and caches that threads share; but nobody helps
// with the last bodies of a loop, as idle threads do in earnest.
//
// At most one on a thread at a time. Not for work that goes on in threads of its own.
class FHE_EXPORT ThreadRehearsal {
 public:
  // Tells the time, in seconds from any moment.
  using Clock = std::function<double()>;

  // `threads` >= 1. By default the time is the processor time of this thread, which others on the
  // machine do not change. Throws Error(invalid_argument) for no threads.
  explicit ThreadRehearsal(std::size_t threads);
  ThreadRehearsal(std::size_t threads, Clock clock);
  ~ThreadRehearsal();
  ThreadRehearsal(const ThreadRehearsal&) = delete;
  ThreadRehearsal& operator=(const ThreadRehearsal&) = delete;

  // What all since the construction would have taken.
  [[nodiscard]] double seconds() const { return now() - start_; }

 private:
  friend FHE_EXPORT void parallel_for(std::size_t count,
                                      const std::function<void(std::size_t)>& body);
  friend FHE_EXPORT std::size_t thread_count();

  // That of this thread, if there is one.
  static ThreadRehearsal* current();
  // A loop of parallel_for.
  void run(std::size_t count, const std::function<void(std::size_t)>& body);

  // The time as it would be: without what other threads would have done meanwhile.
  [[nodiscard]] double now() const { return clock_() - saved_; }

  Clock clock_;
  std::size_t threads_;
  std::size_t free_threads_;  // for a loop that begins now
  double saved_ = 0;
  double start_;
};

}  // namespace fhe
