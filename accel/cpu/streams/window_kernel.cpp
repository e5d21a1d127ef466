// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/streams/window_kernel.hpp"

#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/simd/ifma.hpp"
#include "accel/cpu/streams/aes_rounds.hpp"
#include "accel/cpu/streams/digit_steps.hpp"

namespace fhe::cpu {

static_assert(kWindowStepBlocks == kStepBlocks && kWindowStepWords == kStepWords &&
              kWindowStepDigits == kStepDigits);

namespace {

// So many sums of each kind that the latency of one addition is hidden behind the others.
constexpr std::size_t kSums = 4;

// low(y_k c_{N-1-k}) and high(y_k c_{N-2-k}), summed.
struct Sums {
  Vec low[kSums];
  Vec high[kSums];
};

[[gnu::always_inline]] inline Sums no_sums() {
  Sums sums;
  each<kSums>([&](auto s) __attribute__((always_inline)) {
    sums.low[s] = zero();
    sums.high[s] = zero();
  });
  return sums;
}

[[gnu::always_inline]] inline void add_totals(const Sums& sums, std::uint64_t* estimates) {
  Vec total = load(estimates);
  each<kSums>([&](auto s) __attribute__((always_inline)) {
    total = add(total, add(sums.low[s], sums.high[s]));
  });
  store(estimates, total);
}

// The rows of a step, masked where it is the last one.
[[gnu::always_inline]] inline void masked_step(Counters& counters, const RoundKeys& keys,
                                               const std::uint64_t* mask,
                                               Vec (&words)[kStepWords]) {
  next_step(counters, keys, words);
  if (mask == nullptr) return;
  each<kStepWords>([&](auto w) __attribute__((always_inline)) {
    words[w] = bit_and(words[w], load(mask + w * kLanes));
  });
}

// One number: its sums stay in registers.
[[gnu::always_inline]] inline void add_one(const RoundKeys& keys, Counters counters,
                                           std::size_t steps, const std::uint64_t* reversed,
                                           const std::uint64_t* last_mask,
                                           std::uint64_t* estimates) {
  Sums sums = no_sums();
  Vec words[kStepWords];
  for (std::size_t step = 0; step < steps; ++step) {
    masked_step(counters, keys, step + 1 == steps ? last_mask : nullptr, words);
    each<kStepDigits>([&](auto k) __attribute__((always_inline)) {
      const Vec y = digit_at<k * kDigitBits>(words);
      sums.low[k % kSums] = add_low(sums.low[k % kSums], y, all(reversed[k]));
      sums.high[k % kSums] = add_high(sums.high[k % kSums], y, all(reversed[k + 1]));
    });
    reversed += kStepDigits;
  }
  add_totals(sums, estimates);
}

// Several numbers: the digits of a step go through the cache, to all of them.
[[gnu::always_inline]] inline void add_several(const RoundKeys& keys, Counters counters,
                                               std::size_t steps,
                                               std::span<const std::uint64_t* const> reversed,
                                               const std::uint64_t* last_mask,
                                               std::uint64_t* estimates) {
  Sums sums[kMostNumbers];
  for (std::size_t number = 0; number < reversed.size(); ++number) sums[number] = no_sums();
  Vec words[kStepWords];
  alignas(64) std::uint64_t digits[kStepDigits * kLanes];
  for (std::size_t step = 0; step < steps; ++step) {
    masked_step(counters, keys, step + 1 == steps ? last_mask : nullptr, words);
    each<kStepDigits>([&](auto k) __attribute__((always_inline)) {
      store(digits + k * kLanes, digit_at<k * kDigitBits>(words));
    });
    for (std::size_t number = 0; number < reversed.size(); ++number) {
      const std::uint64_t* c = reversed[number] + step * kStepDigits;
      Sums now = sums[number];
      each<kStepDigits>([&](auto k) __attribute__((always_inline)) {
        const Vec y = load(digits + k * kLanes);
        now.low[k % kSums] = add_low(now.low[k % kSums], y, all(c[k]));
        now.high[k % kSums] = add_high(now.high[k % kSums], y, all(c[k + 1]));
      });
      sums[number] = now;
    }
  }
  for (std::size_t number = 0; number < reversed.size(); ++number) {
    add_totals(sums[number], estimates + number * kLanes);
  }
}

}  // namespace

void add_window_estimates(const AesKey& key, const LaneStart& start, std::size_t steps,
                          std::span<const std::uint64_t* const> reversed,
                          const std::uint64_t* last_mask, std::uint64_t* estimates) {
  const RoundKeys keys = load_keys(key);
  if (reversed.size() == 1) {
    add_one(keys, start_counters(start), steps, reversed[0], last_mask, estimates);
  } else {
    add_several(keys, start_counters(start), steps, reversed, last_mask, estimates);
  }
}

}  // namespace fhe::cpu
