// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <tbb/global_control.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>

#include "libfhe/error.hpp"
#include "tests/catch.hpp"
#include "tests/support/cancelled_group.hpp"

namespace fhe::test {

namespace {

// How often a loop over `count` indices calls its body for each of them.
std::vector<int> visits(std::size_t count) {
  std::vector<std::atomic<int>> seen(count);
  parallel_for(count, [&](std::size_t i) { seen[i].fetch_add(1); });
  return {seen.begin(), seen.end()};
}

// How many threads work on a loop whose bodies last long enough for others to join in.
std::size_t threads_used() {
  std::mutex guard;
  std::set<std::thread::id> ids;
  parallel_for(50, [&](std::size_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::lock_guard lock(guard);
    ids.insert(std::this_thread::get_id());
  });
  return ids.size();
}

}  // namespace

TEST_CASE("a parallel loop calls its body once for every index", "[parallel]") {
  for (const std::size_t count :
       {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{10'000}}) {
    CHECK(visits(count) == std::vector<int>(count, 1));
  }
}

TEST_CASE("parallel loops may be nested", "[parallel]") {
  constexpr std::size_t kOuter = 20;
  constexpr std::size_t kInner = 30;
  std::vector<std::atomic<int>> seen(kOuter * kInner);
  parallel_for(kOuter, [&](std::size_t i) {
    parallel_for(kInner, [&](std::size_t j) { seen[i * kInner + j].fetch_add(1); });
  });
  for (const auto& count : seen) CHECK(count == 1);
}

TEST_CASE("an exception thrown in a parallel loop reaches the caller", "[parallel]") {
  std::atomic<int> running = 0;
  const auto body = [&](std::size_t i) {
    ++running;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    --running;
    if (i == 37) throw std::out_of_range("thirty-seven");
  };
  CHECK_THROWS_AS(parallel_for(100, body), std::out_of_range);
  CHECK(running == 0);
  CHECK(visits(50) == std::vector<int>(50, 1));
}

TEST_CASE("an exception thrown in a nested parallel loop reaches the caller", "[parallel]") {
  const auto outer = [](std::size_t) {
    parallel_for(10, [](std::size_t j) {
      if (j == 5) throw std::out_of_range("five");
    });
  };
  CHECK_THROWS_AS(parallel_for(4, outer), std::out_of_range);
}

TEST_CASE("a parallel loop inside a cancelled group is complete", "[parallel]") {
  std::vector<int> seen;
  in_cancelled_group([&] { seen = visits(1000); });
  CHECK(seen == std::vector<int>(1000, 1));
}

TEST_CASE("loops beside a body that throws are complete", "[parallel]") {
  for (int repetition = 0; repetition < 50; ++repetition) {
    std::atomic<int> incomplete = 0;
    const auto body = [&](std::size_t i) {
      if (i == 3) throw std::out_of_range("three");
      for (int k = 0; k < 20; ++k) {
        if (visits(100) != std::vector<int>(100, 1)) ++incomplete;
      }
    };
    CHECK_THROWS_AS(parallel_for(4, body), std::out_of_range);
    CHECK(incomplete == 0);
  }
}

TEST_CASE("a loop whose body cancels it does not return as if it were complete", "[parallel]") {
  const auto body = [](std::size_t i) {
    if (i == 0) tbb::task::current_context()->cancel_group_execution();
  };
  CHECK_THROWS_AS(parallel_for(1000, body), Error);
}

TEST_CASE("a thread that waits inside without_other_work takes up nothing else", "[parallel]") {
  static thread_local bool inside = false;
  std::atomic<int> entered_again = 0;
  const tbb::global_control eight(tbb::global_control::max_allowed_parallelism, 8);
  tbb::task_arena arena(8);
  const auto body = [&](std::size_t i) {
    if (inside) ++entered_again;
    inside = true;
    without_other_work([i] {
      parallel_for(16, [i](std::size_t j) {
        std::this_thread::sleep_for(std::chrono::microseconds(50 * ((i + j) % 9)));
      });
    });
    inside = false;
  };
  arena.execute([&] { parallel_for(200, body); });
  CHECK(entered_again == 0);
}

TEST_CASE("work that makes more work is all done", "[parallel]") {
  // A call of depth d makes two of depth d - 1; which of them a call is, it finds in a list.
  std::mutex guard;
  std::vector<int> depths{12, 12, 12};
  std::size_t calls = 0;
  parallel_work(depths.size(), [&]() -> std::size_t {
    const std::lock_guard lock(guard);
    const int depth = depths.back();
    depths.pop_back();
    ++calls;
    if (depth == 0) return 0;
    depths.insert(depths.end(), 2, depth - 1);
    return 2;
  });
  CHECK(depths.empty());
  CHECK(calls == 3 * ((1U << 13) - 1));
  parallel_work(0, []() -> std::size_t { throw std::logic_error("nothing was to be done"); });
}

TEST_CASE("an exception of some work reaches the caller and ends the rest", "[parallel]") {
  std::atomic<int> calls{0};
  CHECK_THROWS_AS(parallel_work(1,
                                [&]() -> std::size_t {
                                  if (++calls == 100) throw std::domain_error("the hundredth");
                                  return 1;
                                }),
                  std::domain_error);
  CHECK(calls >= 100);
}

TEST_CASE("work that waits is done on more threads than the machine has", "[parallel]") {
  constexpr std::size_t kThreads = 24;
  std::mutex guard;
  std::condition_variable all_here;
  std::size_t here = 0;
  parallel_work(
      kThreads,
      [&]() -> std::size_t {
        std::unique_lock lock(guard);
        ++here;
        all_here.notify_all();
        all_here.wait(lock, [&] { return here == kThreads; });
        return 0;
      },
      kThreads);
  CHECK(here == kThreads);
}

TEST_CASE("a thread whose work waits for a loop takes up no other work", "[parallel]") {
  const ThreadLimit two(2);
  thread_local bool is_inside = false;
  std::atomic<int> entered_again{0};
  parallel_work(40, [&]() -> std::size_t {
    if (is_inside) ++entered_again;
    is_inside = true;
    parallel_for(8,
                 [](std::size_t) { std::this_thread::sleep_for(std::chrono::microseconds(50)); });
    is_inside = false;
    return 0;
  });
  CHECK(entered_again == 0);
}

TEST_CASE("a thread limit of one keeps a loop on the calling thread", "[parallel]") {
  const ThreadLimit limit(1);
  CHECK(thread_count() == 1);
  CHECK(threads_used() == 1);
}

TEST_CASE("the smallest of several thread limits rules while it lives", "[parallel]") {
  const std::size_t unlimited = thread_count();
  REQUIRE(unlimited >= 1);
  {
    const ThreadLimit outer(2);
    CHECK(thread_count() <= 2);
    {
      const ThreadLimit inner(1);
      CHECK(thread_count() == 1);
      const ThreadLimit wider(8);
      CHECK(thread_count() == 1);
    }
    CHECK(thread_count() == std::min<std::size_t>(unlimited, 2));
  }
  CHECK(thread_count() == unlimited);
}

TEST_CASE("a thread limit of zero leaves it to the machine", "[parallel]") {
  const std::size_t unlimited = thread_count();
  const ThreadLimit none(0);
  CHECK(thread_count() == unlimited);
}

TEST_CASE("a thread limit can be moved", "[parallel]") {
  const std::size_t unlimited = thread_count();
  {
    ThreadLimit first(1);
    const ThreadLimit second(std::move(first));
    CHECK(thread_count() == 1);
  }
  CHECK(thread_count() == unlimited);
}

}  // namespace fhe::test
