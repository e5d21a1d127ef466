// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/streams/sparse_kernel.hpp"

#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/simd/ifma.hpp"
#include "accel/cpu/streams/aes_rounds.hpp"
#include "accel/cpu/streams/digit_steps.hpp"

namespace fhe::cpu {

static_assert(kSparseStepBlocks == kStepBlocks && kSparseStepWords == kStepWords &&
              kSparseStepDigits == kStepDigits);

namespace {

// Adds the parts of some entries to the window that starts at digit `first` of the sums.
[[gnu::always_inline]] inline void add_to_window(const std::uint64_t* digits, std::size_t first,
                                                 const SparseEntry* begin, const SparseEntry* end,
                                                 std::uint64_t* sums) {
  Vec* target = reinterpret_cast<Vec*>(sums) + first;
  Vec window[kSparseWindow];
  each<kSparseWindow>([&](auto digit)
                          __attribute__((always_inline)) { window[digit] = target[digit]; });
  for (const SparseEntry* entry = begin; entry != end; ++entry) {
    const Vec value = all(entry->value);
    const auto offset =
        static_cast<std::ptrdiff_t>(first) - static_cast<std::ptrdiff_t>(entry->position);
    const Vec* x = reinterpret_cast<const Vec*>(digits) + offset;
    window[0] = add_high(window[0], x[-1], value);
    each<kSparseWindow>([&](auto d) __attribute__((always_inline)) {
      const Vec factor = x[d];
      window[d] = add_low(window[d], factor, value);
      if constexpr (d + 1 < kSparseWindow) {
        window[d + 1] = add_high(window[d + 1], factor, value);
      }
    });
  }
  each<kSparseWindow>([&](auto digit)
                          __attribute__((always_inline)) { target[digit] = window[digit]; });
}

}  // namespace

void sparse_digits(const AesKey& key, const LaneStart& start, std::size_t steps,
                   const std::uint64_t* mask, std::uint64_t* digits) {
  const RoundKeys keys = load_keys(key);
  Counters counters = start_counters(start);
  Vec words[kStepWords];
  for (std::size_t step = 0; step < steps; ++step) {
    next_step(counters, keys, words);
    if (mask != nullptr) {
      const std::uint64_t* rows = mask + step * kStepWords * kLanes;
      each<kStepWords>([&](auto w) __attribute__((always_inline)) {
        words[w] = bit_and(words[w], load(rows + w * kLanes));
      });
    }
    std::uint64_t* out = digits + step * kStepDigits * kLanes;
    each<kStepDigits>([&](auto d) __attribute__((always_inline)) {
      store(out + d * kLanes, digit_at<d * kDigitBits>(words));
    });
  }
}

void sparse_accumulate(const std::uint64_t* digits, std::size_t digit_count,
                       const SparseEntry* entries, std::size_t count, std::uint64_t* sums) {
  if (count == 0) return;
  const SparseEntry* const end = entries + count;
  const SparseEntry* begin = entries;  // the entries that meet the window
  const SparseEntry* meeting = entries;
  const std::size_t digits_of_sum = end[-1].position + digit_count + 1;
  for (std::size_t first = 0; first < digits_of_sum; first += kSparseWindow) {
    while (meeting != end && meeting->position < first + kSparseWindow) ++meeting;
    while (begin != meeting && begin->position + digit_count < first) ++begin;
    add_to_window(digits, first, begin, meeting, sums);
  }
}

}  // namespace fhe::cpu
