// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/streams/window_kernel.hpp"

#include "accel/cpu/streams/aes_rounds.hpp"
#include "accel/cpu/streams/simd.hpp"

namespace fhe::cpu {

static_assert(kWindowStepWords == kStepWords && kWindowStepDigits == kStepDigits);

namespace {

// So many sums that the latency of one addition is hidden behind the others.
constexpr std::size_t kSums = 4;

[[gnu::always_inline]] inline void add_step(const Vec (&words)[kStepWords],
                                            const std::uint64_t* reversed, Vec (&low)[kSums],
                                            Vec (&high)[kSums]) {
  unrolled<kStepDigits>([&](auto digit) UNROLLED {
    constexpr std::size_t k = decltype(digit)::value;
    const Vec y = digit_at<k * kDigitBits>(words);
    low[k % kSums] = add_low(low[k % kSums], y, all_lanes(reversed[k]));
    high[k % kSums] = add_high(high[k % kSums], y, all_lanes(reversed[k + 1]));
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
  unrolled<kSums>([&](auto s) UNROLLED {
    low[decltype(s)::value] = _mm512_setzero_si512();
    high[decltype(s)::value] = _mm512_setzero_si512();
  });
  Vec words[kStepWords];
  for (std::size_t step = 0; step + 1 < steps; ++step) {
    next_step(counters, keys, words);
    add_step(words, reversed + step * kStepDigits, low, high);
  }
  next_step(counters, keys, words);
  unrolled<kStepWords>([&](auto row) UNROLLED {
    constexpr std::size_t w = decltype(row)::value;
    words[w] = _mm512_and_si512(words[w], load_row(last_mask + w * kRow));
  });
  add_step(words, reversed + (steps - 1) * kStepDigits, low, high);
  Vec total = _mm512_setzero_si512();
  unrolled<kSums>([&](auto s) UNROLLED {
    total = _mm512_add_epi64(total, low[decltype(s)::value]);
    total = _mm512_add_epi64(total, high[decltype(s)::value]);
  });
  store_row(estimates, total);
}

}  // namespace fhe::cpu
