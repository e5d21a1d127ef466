// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
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

#include "libfhe/arith/cpu_quota.hpp"
#include "libfhe/arith/thread_rehearsal.hpp"
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

// Calls of bodies that other threads make for a caller: ordered for ThreadSanitizer, and as secret
// as the caller's own work, so that they leave as little on the stacks of other threads.
class BodiesOfCaller {
 public:
  template <class Bodies>
  void operator()(const Bodies& bodies) {
    const LoopOrder::Bodies ordered(order_);
    std::optional<SecretWork> work;
    if (is_secret_) work.emplace();
    bodies();
  }

 private:
  LoopOrder order_;
  bool is_secret_ = SecretWork::in_progress();
};

// A loop belongs to no group of oneTBB's but its own: as part of the caller's it would return early
// and silently when that one is cancelled, by the caller or by an exception beside it, and all
// that follows would compute with results that were never made. Only a body that asks oneTBB for
// its group by name can cancel that without an exception.
void require_complete(bool cancelled) {
  if (!cancelled) return;
  throw Error(ErrorCode::stopped, "a parallel loop was cancelled before its result was complete");
}

// Processors of the machine, of which a quota may leave the process fewer. Asked once: the answer
// takes microseconds and does not change.
std::size_t present_processors() {
  static const std::size_t present = std::max(1U, std::thread::hardware_concurrency());
  return present;
}

// A limit of oneTBB, which keeps its address. One that is out of service would wait for ever when
// it is taken back, so that it stays.
class TbbLimit {
 public:
  explicit TbbLimit(std::size_t threads)
      : limit_(new tbb::global_control(tbb::global_control::max_allowed_parallelism, threads)) {}
  ~TbbLimit() {
    if (out_of_service) static_cast<void>(limit_.release());
  }
  TbbLimit(const TbbLimit&) = delete;
  TbbLimit& operator=(const TbbLimit&) = delete;

 private:
  std::unique_ptr<tbb::global_control> limit_;
};

// Limits the process to its quota of processors, which oneTBB does not know: more threads would be
// stopped together for most of the time. Whoever limits threads himself has the last word.
class QuotaLimit {
 public:
  // Lives for ever: threads may still work when the process ends.
  static QuotaLimit& instance() {
    static auto* const limit = new QuotaLimit;
    return *limit;
  }

  void lift() {
    const std::lock_guard lock(guard_);
    if (++lifted_ == 1) limit_.reset();
  }
  void restore() {
    const std::lock_guard lock(guard_);
    if (--lifted_ == 0) set();
  }

 private:
  QuotaLimit() { set(); }

  // Without memory for it there is no limit.
  void set() {
    try {
      if (quota_ && *quota_ < present_processors()) limit_.emplace(*quota_);
    } catch (const std::bad_alloc&) {
      limit_.reset();
    }
  }

  std::optional<std::size_t> quota_ = cpu_quota();
  std::mutex guard_;
  std::size_t lifted_ = 0;  // limits of others that are alive
  std::optional<TbbLimit> limit_;
};

}  // namespace

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body) {
  if (ThreadRehearsal* const rehearsal = ThreadRehearsal::current()) {
    return rehearsal->run(count, body);
  }
  if (out_of_service) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  static_cast<void>(QuotaLimit::instance());
  BodiesOfCaller of_caller;
  ask_onetbb([&](const auto& call) {
    tbb::task_group_context own_group(tbb::task_group_context::isolated);
    const auto bodies = [&](const tbb::blocked_range<std::size_t>& range) {
      of_caller([&] {
        for (std::size_t i = range.begin(); i != range.end(); ++i) body(i);
      });
    };
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, count, 1),
        [&](const auto& range) { call([&] { bodies(range); }); }, own_group);
    require_complete(own_group.is_group_execution_cancelled());
  });
}

namespace {

void do_work(std::size_t count, const std::function<std::size_t()>& work) {
  static_cast<void>(QuotaLimit::instance());
  BodiesOfCaller of_caller;
  ask_onetbb([&](const auto& call) {
    tbb::task_group_context own_group(tbb::task_group_context::isolated);
    tbb::task_group group(own_group);
    std::function<void(std::size_t)> start;
    const auto once = [&] {
      std::size_t more = 0;
      of_caller([&] { call([&] { more = tbb::this_task_arena::isolate(work); }); });
      start(more);
    };
    start = [&](std::size_t calls) {
      for (std::size_t i = 0; i < calls; ++i) group.run(once);
    };
    start(count);
    require_complete(group.wait() == tbb::canceled);
  });
}

}  // namespace

void parallel_work(std::size_t count, const std::function<std::size_t()>& work,
                   std::optional<std::size_t> threads) {
  if (out_of_service) {
    for (std::size_t left = count; left > 0; --left) left += work();
    return;
  }
  if (!threads) return do_work(count, work);
  const ThreadLimit as_many(*threads);
  tbb::task_arena arena(static_cast<int>(*threads));
  arena.execute([&] { do_work(count, work); });
}

void without_other_work(const std::function<void()>& work) {
  if (out_of_service) return work();
  ask_onetbb([&](const auto& call) { tbb::this_task_arena::isolate([&] { call(work); }); });
}

struct ThreadLimit::Control {
  explicit Control(std::size_t threads) : limit(threads) { QuotaLimit::instance().lift(); }
  ~Control() { QuotaLimit::instance().restore(); }
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

  TbbLimit limit;
};

ThreadLimit::ThreadLimit(std::size_t threads) {
  if (threads > 0) control_ = std::make_unique<Control>(threads);
}

ThreadLimit::~ThreadLimit() = default;
ThreadLimit::ThreadLimit(ThreadLimit&&) noexcept = default;
ThreadLimit& ThreadLimit::operator=(ThreadLimit&&) noexcept = default;

std::size_t thread_count() {
  if (const ThreadRehearsal* const rehearsal = ThreadRehearsal::current()) {
    return rehearsal->threads_;
  }
  static_cast<void>(QuotaLimit::instance());
  const std::size_t allowed =
      tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  return std::min(allowed, present_processors());
}

}  // namespace fhe
