// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <optional>
#include <thread>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/tbb_allocator.h>

#ifdef FHE_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

#include "libfhe/error.hpp"
#include "libfhe/secret/stack.hpp"

namespace fhe {

namespace {

// What is ordered by a parallel loop: the caller's past comes before every body, and every body
// before the caller's future. oneTBB is not built for ThreadSanitizer, which therefore does not see
// that order; under it (FHE_THREAD_SANITIZER) these calls say so. Elsewhere they are empty.
class LoopOrder {
 public:
  LoopOrder() { release(&start_); }
  ~LoopOrder() { acquire(&end_); }
  LoopOrder(const LoopOrder&) = delete;
  LoopOrder& operator=(const LoopOrder&) = delete;

  // Lives as long as some bodies of the loop run.
  class Bodies {
   public:
    explicit Bodies(LoopOrder& order) : order_(order) { acquire(&order_.start_); }
    ~Bodies() { release(&order_.end_); }
    Bodies(const Bodies&) = delete;
    Bodies& operator=(const Bodies&) = delete;

   private:
    LoopOrder& order_;
  };

 private:
#ifdef FHE_THREAD_SANITIZER
  static void acquire(void* event) { __tsan_acquire(event); }
  static void release(void* event) { __tsan_release(event); }
#else
  static void acquire(void* /*event*/) {}
  static void release(void* /*event*/) {}
#endif

  char start_ = 0;
  char end_ = 0;
};

// oneTBB looks for its allocator when it is first used, by functions of glibc that crash where
// there is no memory. So that comes with the initialization of this library.
bool find_allocator() {
  tbb::tbb_allocator<char> allocator;
  allocator.deallocate(allocator.allocate(1), 1);
  return true;
}
[[maybe_unused]] const bool kAllocatorIsFound = find_allocator();

// oneTBB that finds no memory when a thread first uses it is left half started, and what it is
// asked for later may wait for ever. It is asked for nothing more then: work stays on its callers.
std::atomic<bool> out_of_service = false;

// Does `request`, in which oneTBB calls bodies by way of the function that `request` is given.
template <class Request>
void ask_onetbb(const Request& request) {
  std::atomic<bool> body_threw = false;
  const auto call = [&body_threw](const auto& body) {
    try {
      body();
    } catch (...) {
      body_threw = true;
      throw;
    }
  };
  try {
    request(call);
  } catch (const std::bad_alloc&) {
    if (!body_threw) out_of_service = true;
    throw;
  }
}

}  // namespace

// A loop belongs to no group of oneTBB's but its own: as part of the caller's it would return early
// and silently when that one is cancelled, by the caller or by an exception beside it, and all
// that follows would compute with results that were never made.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body) {
  if (out_of_service) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  LoopOrder order;
  // Bodies of secret work leave as little on the stacks of other threads as on the caller's.
  const bool is_secret = SecretWork::in_progress();
  ask_onetbb([&](const auto& call) {
    tbb::task_group_context own_group(tbb::task_group_context::isolated);
    const auto bodies = [&](const tbb::blocked_range<std::size_t>& range) {
      const LoopOrder::Bodies ordered(order);
      std::optional<SecretWork> work;
      if (is_secret) work.emplace();
      for (std::size_t i = range.begin(); i != range.end(); ++i) body(i);
    };
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, count, 1),
        [&](const auto& range) { call([&] { bodies(range); }); }, own_group);
    // Only a body that asks oneTBB for it by name can cancel the loop without an exception.
    if (own_group.is_group_execution_cancelled()) {
      throw Error(ErrorCode::stopped,
                  "a parallel loop was cancelled before its result was complete");
    }
  });
}

void without_other_work(const std::function<void()>& work) {
  if (out_of_service) return work();
  ask_onetbb([&](const auto& call) { tbb::this_task_arena::isolate([&] { call(work); }); });
}

// oneTBB keeps the address of the control, so it is made in place and never moved. One that is out
// of service would wait for ever when it is taken back, so that it stays.
struct ThreadLimit::Control {
  explicit Control(std::size_t threads)
      : limit(new tbb::global_control(tbb::global_control::max_allowed_parallelism, threads)) {}
  ~Control() {
    if (out_of_service) static_cast<void>(limit.release());
  }
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

  std::unique_ptr<tbb::global_control> limit;
};

ThreadLimit::ThreadLimit(std::size_t threads) {
  if (threads > 0) control_ = std::make_unique<Control>(threads);
}

ThreadLimit::~ThreadLimit() = default;
ThreadLimit::ThreadLimit(ThreadLimit&&) noexcept = default;
ThreadLimit& ThreadLimit::operator=(ThreadLimit&&) noexcept = default;

std::size_t thread_count() {
  const std::size_t allowed =
      tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  // Asked once: the answer takes microseconds and does not change.
  static const std::size_t present = std::max(1U, std::thread::hardware_concurrency());
  return std::min(allowed, present);
}

}  // namespace fhe
