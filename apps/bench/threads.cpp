// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/threads.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>

#include <fmt/format.h>

#include "apps/bench/duration.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/arith/thread_rehearsal.hpp"

namespace fhe::bench {

namespace {

constexpr std::array<std::size_t, 7> kThreads{1, 2, 4, 8, 16, 32, 64};

// The least of what `seconds_of_run` says, which runs the operation once and is called again until
// the runs have taken `min_seconds` of time.
template <class Run>
double least_seconds(const Operation& operation, double min_seconds, const Run& seconds_of_run) {
  using WallClock = std::chrono::steady_clock;
  const WallClock::time_point start = WallClock::now();
  double least = 0;
  std::chrono::duration<double> elapsed{};
  do {
    const double seconds = seconds_of_run();
    least = least == 0 ? seconds : std::min(least, seconds);
    elapsed = WallClock::now() - start;
  } while (elapsed.count() < min_seconds);
  return least / static_cast<double>(operation.per_run);
}

double rehearsed_seconds(const Operation& operation, std::size_t threads, double min_seconds) {
  return least_seconds(operation, min_seconds, [&] {
    ThreadRehearsal rehearsal(threads);
    operation.run();
    return rehearsal.seconds();
  });
}

double measured_seconds(const Operation& operation, std::size_t threads, double min_seconds) {
  const ThreadLimit limit(threads);
  return least_seconds(operation, min_seconds, [&] {
    const auto start = std::chrono::steady_clock::now();
    operation.run();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    return took.count();
  });
}

void print_operation(const Operation& operation, double min_seconds) {
  operation.prepare();
  operation.run();  // plans and tables
  const double one = rehearsed_seconds(operation, 1, min_seconds);
  fmt::print("{:>24} {:>11}", operation.name, duration(one));
  for (const std::size_t threads : kThreads) {
    if (threads > 1)
      fmt::print(" {:>6.2f}", one / rehearsed_seconds(operation, threads, min_seconds));
  }
  const std::size_t present = thread_count();
  const double alone = measured_seconds(operation, 1, min_seconds);
  fmt::print("  {:>11} {:>6.2f}\n", duration(alone),
             alone / measured_seconds(operation, present, min_seconds));
}

}  // namespace

void print_threads(const std::vector<Operation>& operations, double min_seconds) {
  fmt::print(
      "How many times as fast as on one thread: estimated from the loops as they run on one "
      "thread, and measured.\n\n");
  fmt::print("{:>24} {:>11}", "threads", 1);
  for (const std::size_t threads : kThreads) {
    if (threads > 1) fmt::print(" {:>6}", threads);
  }
  fmt::print("  {:>11} {:>6}\n", "measured 1", thread_count());
  for (const Operation& operation : operations) print_operation(operation, min_seconds);
}

}  // namespace fhe::bench
