// SPDX-License-Identifier: Apache-2.0
// Counters of events: each by itself, both halves from one moment, cleared and frozen.
#include <array>
#include <cstddef>
#include <cstdint>

#include "PerformanceCounters.h"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::test::Simulation;
using fhe::test::Words;

constexpr std::size_t kCounters = 12;

class Bench {
 public:
  Bench() {
    counters_->reset = counters_->clear = counters_->freeze = counters_->read = 0;
    counters_->events = 0;
  }

  Simulation<PerformanceCounters>& operator*() { return counters_; }
  Simulation<PerformanceCounters>& operator->() { return counters_; }

  void clock(std::uint32_t events) {
    counters_->events = static_cast<SData>(events);
    counters_.clock();
    counters_->events = 0;
  }

  std::uint32_t read(std::size_t word, std::uint32_t events = 0) {
    counters_->read = 1;
    counters_->word_index = static_cast<CData>(word);
    clock(events);
    counters_->read = 0;
    return counters_->value;
  }
  std::uint64_t count(std::size_t counter) {
    const std::uint32_t low = read(2 * counter);
    return low | std::uint64_t{read(2 * counter + 1)} << 32;
  }
  void clear() {
    counters_->clear = 1;
    clock(0xfff);
    counters_->clear = 0;
  }

 private:
  Simulation<PerformanceCounters> counters_;
};

}  // namespace

TEST_CASE("rtl performance_counters: each counts its own events", "[rtl]") {
  Words words(321);
  Bench bench;
  (*bench).reset();
  std::array<std::uint64_t, kCounters> expected{};
  for (int clock = 0; clock < 3000; ++clock) {
    const auto events = static_cast<std::uint32_t>(words.below(1U << kCounters));
    const bool frozen = words.below(5) == 0;
    bench->freeze = frozen;
    bench.clock(events);
    for (std::size_t i = 0; i < kCounters; ++i)
      if (!frozen) expected[i] += events >> i & 1U;
    bench->freeze = 0;
    const std::size_t looked_at = words.below(kCounters);
    CHECK(bench.count(looked_at) == expected[looked_at]);
    if (words.below(500) != 0) continue;
    bench.clear();
    expected = {};
  }
  for (std::size_t i = 0; i < kCounters; ++i) CHECK(bench.count(i) == expected[i]);
}

TEST_CASE("rtl performance_counters: reading the low half keeps the high half", "[rtl]") {
  Bench bench;  // without a reset its counters hold what no simulation could count to
  std::array<std::uint64_t, kCounters> before{};
  for (std::size_t i = 0; i < kCounters; ++i) {
    before[i] = bench.count(i);
    CHECK(before[i] >> 32 != 0);
  }
  const auto low = static_cast<std::uint32_t>(before[7]);
  CHECK(bench.read(14) == low);
  bench.clear();
  CHECK(bench.read(15) == before[7] >> 32);
  CHECK(bench.read(15) == before[7] >> 32);
  for (std::size_t i = 0; i < kCounters; ++i) CHECK(bench.count(i) == 0);
}

TEST_CASE("rtl performance_counters: a read shows what was counted before it", "[rtl]") {
  Bench bench;
  (*bench).reset();
  for (std::uint32_t i = 0; i < 10; ++i) CHECK(bench.read(4, 1U << 2) == i);
  CHECK(bench.read(24) == 0);  // no such counter
}
