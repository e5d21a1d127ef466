// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/streams/selection_kernel.hpp"

#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/simd/ifma.hpp"
#include "accel/cpu/streams/aes_rounds.hpp"
#include "accel/cpu/streams/digit_steps.hpp"

namespace fhe::cpu {

namespace {

constexpr std::size_t kBits = 48;
constexpr std::size_t kVectors = 2 * kSelectionBlocks;
static_assert(kSelectionBlocks * 128 == kSelectionDigits * kBits);

// The counter blocks of element 0 of all lanes with the first round key added; for another
// element the difference of the high words is added.
struct FirstStates {
  Vec states[kVectors];
};

[[gnu::always_inline]] inline FirstStates first_states(const LaneStart& start,
                                                       const RoundKeys& keys) {
  const Vec one = _mm512_set_epi64(1, 0, 1, 0, 1, 0, 1, 0);
  Counters counters = start_counters({0, 0, start.block, start.block_step});
  FirstStates result;
  each<kSelectionBlocks>([&](auto b) __attribute__((always_inline)) {
    result.states[2 * b] = bit_xor(to_block_order(counters.even), keys.keys[0]);
    result.states[2 * b + 1] = bit_xor(to_block_order(counters.odd), keys.keys[0]);
    counters.even = add(counters.even, one);
    counters.odd = add(counters.odd, one);
  });
  return result;
}

template <std::size_t kDigit>
[[gnu::always_inline]] inline Vec selection_digit(const Vec* words) {
  constexpr std::size_t kBit = kDigit * kBits;
  constexpr std::size_t kShift = kBit % 64;
  const Vec mask = all((std::uint64_t{1} << kBits) - 1);
  if constexpr (kShift == 0) {
    return bit_and(words[kBit / 64], mask);
  } else if constexpr (kShift + kBits == 64) {
    return shift_right<kShift>(words[kBit / 64]);
  } else {
    return bit_and(shift_right_pair<kShift>(words[kBit / 64], words[kBit / 64 + 1]), mask);
  }
}

}  // namespace

void add_to_buckets(const AesKey& key, const LaneStart& start, const BucketPlan& plan,
                    std::size_t first, std::size_t last, const std::uint64_t* mask,
                    std::uint64_t* buckets) {
  constexpr Mask kHighHalves = 0x55;
  const RoundKeys keys = load_keys(key);
  const FirstStates origin = first_states(start, keys);
  for (std::size_t element = first; element < last; ++element) {
    const std::uint32_t end = plan.starts[element + 1];
    std::uint32_t entry = plan.starts[element];
    if (entry == end) continue;
    const Vec high = to_block_order(where(kHighHalves, all(start.high + element)));
    Vec states[kVectors];
    each<kVectors>([&](auto i) __attribute__((always_inline)) {
      states[i] = bit_xor(origin.states[i], high);
    });
    encrypt(states, keys);
    Vec words[kSelectionWords];
    each<kSelectionBlocks>([&](auto b) __attribute__((always_inline)) {
      words[2 * b] = even_pairs(states[2 * b], states[2 * b + 1]);
      words[2 * b + 1] = odd_pairs(states[2 * b], states[2 * b + 1]);
    });
    if (mask != nullptr) {
      each<kSelectionWords>([&](auto w) __attribute__((always_inline)) {
        words[w] = bit_and(words[w], load(mask + w * kLanes));
      });
    }
    Vec digits[kSelectionDigits];
    each<kSelectionDigits>([&](auto d) __attribute__((always_inline)) {
      digits[d] = selection_digit<d>(words);
    });
    for (; entry != end; ++entry) {
      std::uint64_t* bucket =
          buckets + std::size_t{plan.buckets[entry]} * (kSelectionDigits * kLanes);
      each<kSelectionDigits>([&](auto d) __attribute__((always_inline)) {
        std::uint64_t* row = bucket + d * kLanes;
        store(row, add(load(row), digits[d]));
      });
    }
  }
}

void collect_buckets(const std::uint64_t* buckets, unsigned bits, unsigned bit,
                     std::uint64_t* sum) {
  Vec digits[kSelectionDigits];
  each<kSelectionDigits>([&](auto digit)
                             __attribute__((always_inline)) { digits[digit] = zero(); });
  for (std::size_t number = 1; number < std::size_t{1} << bits; ++number) {
    if ((number >> bit & 1) == 0) continue;
    const std::uint64_t* bucket = buckets + (number - 1) * (kSelectionDigits * kLanes);
    each<kSelectionDigits>([&](auto d) __attribute__((always_inline)) {
      digits[d] = add(digits[d], load(bucket + d * kLanes));
    });
  }
  each<kSelectionDigits>([&](auto digit) __attribute__((always_inline)) {
    store(sum + digit * kLanes, digits[digit]);
  });
}

std::uint64_t selection_words(std::uint64_t* sum, std::uint64_t* words) {
  const Vec mask = all((std::uint64_t{1} << kBits) - 1);
  Vec digits[kSelectionDigits];
  each<kSelectionDigits>([&](auto digit) __attribute__((always_inline)) {
    digits[digit] = load(sum + digit * kLanes);
  });
  // Every round moves the carries of all digits and lanes up by one digit, without waiting for each
  // other. After the first one digits exceed 48 bits about once in 2^32; when that happens next to
  // digits of ones, the rounds that follow pass it on.
  Vec carried_out = zero();
  Vec excess = zero();
  do {
    Vec carry = shift_right<kBits>(digits[kSelectionDigits - 1]);
    carried_out = add(carried_out, carry);
    carry = lanes_up<1>(carry, zero());
    excess = zero();
    each<kSelectionDigits>([&](auto digit) __attribute__((always_inline)) {
      Vec& row = digits[digit];
      const Vec next_carry = shift_right<kBits>(row);
      row = add(bit_and(row, mask), carry);
      excess = bit_or(excess, row);
      carry = next_carry;
    });
  } while (less(mask, excess) != 0);
  each<kSelectionDigits / 4>([&](auto q) __attribute__((always_inline)) {
    const Vec* d = digits + 4 * q;
    std::uint64_t* row = words + 3 * q * kLanes;
    store(row, bit_or(d[0], shift_left<48>(d[1])));
    store(row + kLanes, bit_or(shift_right<16>(d[1]), shift_left<32>(d[2])));
    store(row + 2 * kLanes, bit_or(shift_right<32>(d[2]), shift_left<16>(d[3])));
  });
  constexpr Mask kLastLane = 0x80;
  return static_cast<std::uint64_t>(_mm512_mask_reduce_add_epi64(kLastLane, carried_out));
}

}  // namespace fhe::cpu
