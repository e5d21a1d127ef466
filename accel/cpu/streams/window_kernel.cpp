// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/streams/window_kernel.hpp"

#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/simd/ifma.hpp"
#include "accel/cpu/streams/aes_rounds.hpp"
#include "accel/cpu/streams/digit_steps.hpp"

namespace fhe::cpu {

static_assert(kWindowStepWords == kStepWords && kWindowStepDigits == kStepDigits);

namespace {

// So many sums that the latency of one addition is hidden behind the others.
constexpr std::size_t kSums = 4;

[[gnu::always_inline]] inline void add_step(const Vec (&words)[kStepWords],
                                            const std::uint64_t* reversed, Vec (&low)[kSums],
                                            Vec (&high)[kSums]) {
  each<kStepDigits>([&](auto k) __attribute__((always_inline)) {
    const Vec y = digit_at<k * kDigitBits>(words);
    low[k % kSums] = add_low(low[k % kSums], y, all(reversed[k]));
    high[k % kSums] = add_high(high[k % kSums], y, all(reversed[k + 1]));
  });
}

}  // namespace

void window_estimates(const AesKey& key, const LaneStart& start, std::size_t steps,
                      const std::uint64_t* reversed, const std::uint64_t* last_mask,
                      std::uint64_t* estimates) {
  const RoundKeys keys = load_keys(key);
  Counters counters = start_counters(start);
  Vec low[kSums];
  Vec high[kSums];
  each<kSums>([&](auto s) __attribute__((always_inline)) {
    low[s] = zero();
    high[s] = zero();
  });
  Vec words[kStepWords];
  for (std::size_t step = 0; step + 1 < steps; ++step) {
    next_step(counters, keys, words);
    add_step(words, reversed + step * kStepDigits, low, high);
  }
  next_step(counters, keys, words);
  each<kStepWords>([&](auto w) __attribute__((always_inline)) {
    words[w] = bit_and(words[w], load(last_mask + w * kLanes));
  });
  add_step(words, reversed + (steps - 1) * kStepDigits, low, high);
  Vec total = zero();
  each<kSums>([&](auto s) __attribute__((always_inline)) {
    total = add(total, low[s]);
    total = add(total, high[s]);
  });
  store(estimates, total);
}

}  // namespace fhe::cpu
