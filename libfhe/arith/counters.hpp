// SPDX-License-Identifier: Apache-2.0
// What a backend has done so far: the figures that benchmarks divide by.
#pragma once

#include <atomic>
#include <cstdint>

#include "libfhe/export.hpp"

namespace fhe {

// A reading of the counters. All figures only grow; differences of two readings are meaningful.
struct FHE_EXPORT OperationCounts {
  std::uint64_t multiplications = 0;  // big-integer products, of any size
  std::uint64_t limb_products = 0;    // sum over them of (limbs of x) * (limbs of y)
  std::uint64_t reductions = 0;       // reductions modulo a ring's modulus
  std::uint64_t stream_bytes = 0;     // bytes of pseudo-random stream generated or read
  std::uint64_t device_clocks = 0;    // clocks that a device took for its commands

  // What was done between two readings, the later one first.
  friend OperationCounts operator-(const OperationCounts& a, const OperationCounts& b) {
    return {a.multiplications - b.multiplications, a.limb_products - b.limb_products,
            a.reductions - b.reductions, a.stream_bytes - b.stream_bytes,
            a.device_clocks - b.device_clocks};
  }
};

// The live counters of one backend. Safe to use from any number of threads.
class FHE_EXPORT OperationCounters {
 public:
  // Adds to the counters: `times` products of numbers of these sizes, `times` reductions, bytes of
  // a stream, clocks of a device.
  void count_multiplication(std::uint64_t x_limbs, std::uint64_t y_limbs,
                            std::uint64_t times = 1) noexcept {
    multiplications_.fetch_add(times, std::memory_order_relaxed);
    limb_products_.fetch_add(times * x_limbs * y_limbs, std::memory_order_relaxed);
  }
  void count_reduction(std::uint64_t times = 1) noexcept {
    reductions_.fetch_add(times, std::memory_order_relaxed);
  }
  void count_stream_bytes(std::uint64_t bytes) noexcept {
    stream_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  }
  void count_device_clocks(std::uint64_t clocks) noexcept {
    device_clocks_.fetch_add(clocks, std::memory_order_relaxed);
  }

  // Adds what something else has counted.
  void add(const OperationCounts& more) noexcept {
    multiplications_.fetch_add(more.multiplications, std::memory_order_relaxed);
    limb_products_.fetch_add(more.limb_products, std::memory_order_relaxed);
    reductions_.fetch_add(more.reductions, std::memory_order_relaxed);
    stream_bytes_.fetch_add(more.stream_bytes, std::memory_order_relaxed);
    device_clocks_.fetch_add(more.device_clocks, std::memory_order_relaxed);
  }

  // A reading. While others count, its figures may be from slightly different moments.
  [[nodiscard]] OperationCounts read() const noexcept {
    return {multiplications_.load(), limb_products_.load(), reductions_.load(),
            stream_bytes_.load(), device_clocks_.load()};
  }

 private:
  std::atomic<std::uint64_t> multiplications_{0};
  std::atomic<std::uint64_t> limb_products_{0};
  std::atomic<std::uint64_t> reductions_{0};
  std::atomic<std::uint64_t> stream_bytes_{0};
  std::atomic<std::uint64_t> device_clocks_{0};
};

}  // namespace fhe
