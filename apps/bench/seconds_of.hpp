// SPDX-License-Identifier: Apache-2.0
// How long some work takes, where Google Benchmark would be too much.
#pragma once

#include <chrono>
#include <cstddef>

namespace fhe::bench {

// Seconds for one call of `work`, which is called for at least `min_seconds`, and once before.
template <class Work>
double seconds_of(Work work, double min_seconds) {
  using Clock = std::chrono::steady_clock;
  work();  // plans and tables
  const Clock::time_point start = Clock::now();
  std::size_t count = 0;
  std::chrono::duration<double> elapsed{};
  do {
    work();
    ++count;
    elapsed = Clock::now() - start;
  } while (elapsed.count() < min_seconds);
  return elapsed.count() / static_cast<double>(count);
}

}  // namespace fhe::bench
