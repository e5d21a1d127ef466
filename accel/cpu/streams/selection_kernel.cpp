// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/streams/selection_kernel.hpp"

#include "accel/cpu/streams/aes_rounds.hpp"
#include "accel/cpu/streams/simd.hpp"

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
  unrolled<kSelectionBlocks>([&](auto block) UNROLLED {
    constexpr std::size_t b = decltype(block)::value;
    result.states[2 * b] = _mm512_xor_si512(to_block_order(counters.even), keys.keys[0]);
    result.states[2 * b + 1] = _mm512_xor_si512(to_block_order(counters.odd), keys.keys[0]);
    counters.even = _mm512_add_epi64(counters.even, one);
    counters.odd = _mm512_add_epi64(counters.odd, one);
  });
  return result;
}

template <std::size_t kDigit>
[[gnu::always_inline]] inline Vec selection_digit(const Vec* words) {
  constexpr std::size_t kBit = kDigit * kBits;
  constexpr std::size_t kShift = kBit % 64;
  const Vec mask = all_lanes((Limb{1} << kBits) - 1);
  if constexpr (kShift == 0) {
    return _mm512_and_si512(words[kBit / 64], mask);
  } else if constexpr (kShift + kBits == 64) {
    return _mm512_srli_epi64(words[kBit / 64], kShift);
  } else {
    return _mm512_and_si512(_mm512_shrdi_epi64(words[kBit / 64], words[kBit / 64 + 1], kShift),
                            mask);
  }
}

}  // namespace

void add_to_buckets(const AesKey& key, const LaneStart& start, const BucketPlan& plan,
                    std::size_t first, std::size_t last, const std::uint64_t* mask,
                    std::uint64_t* buckets) {
  constexpr __mmask8 kHighHalves = 0x55;
  const RoundKeys keys = load_keys(key);
  const FirstStates origin = first_states(start, keys);
  for (std::size_t element = first; element < last; ++element) {
    const std::uint32_t end = plan.starts[element + 1];
    std::uint32_t entry = plan.starts[element];
    if (entry == end) continue;
    const Vec high =
        to_block_order(_mm512_maskz_mov_epi64(kHighHalves, all_lanes(start.high + element)));
    Vec states[kVectors];
    unrolled<kVectors>([&](auto v) UNROLLED {
      constexpr std::size_t i = decltype(v)::value;
      states[i] = _mm512_xor_si512(origin.states[i], high);
    });
    encrypt(states, keys);
    Vec words[kSelectionWords];
    unrolled<kSelectionBlocks>([&](auto block) UNROLLED {
      constexpr std::size_t b = decltype(block)::value;
      words[2 * b] = _mm512_unpacklo_epi64(states[2 * b], states[2 * b + 1]);
      words[2 * b + 1] = _mm512_unpackhi_epi64(states[2 * b], states[2 * b + 1]);
    });
    if (mask != nullptr) {
      unrolled<kSelectionWords>([&](auto row) UNROLLED {
        constexpr std::size_t w = decltype(row)::value;
        words[w] = _mm512_and_si512(words[w], load_row(mask + w * kRow));
      });
    }
    Vec digits[kSelectionDigits];
    unrolled<kSelectionDigits>([&](auto digit) UNROLLED {
      constexpr std::size_t d = decltype(digit)::value;
      digits[d] = selection_digit<d>(words);
    });
    for (; entry != end; ++entry) {
      Limb* bucket = buckets + std::size_t{plan.buckets[entry]} * (kSelectionDigits * kRow);
      unrolled<kSelectionDigits>([&](auto digit) UNROLLED {
        constexpr std::size_t d = decltype(digit)::value;
        Limb* row = bucket + d * kRow;
        store_row(row, _mm512_add_epi64(load_row(row), digits[d]));
      });
    }
  }
}

void collect_buckets(const std::uint64_t* buckets, unsigned bits, unsigned bit,
                     std::uint64_t* sum) {
  Vec digits[kSelectionDigits];
  unrolled<kSelectionDigits>(
      [&](auto digit) UNROLLED { digits[decltype(digit)::value] = _mm512_setzero_si512(); });
  for (std::size_t number = 1; number < std::size_t{1} << bits; ++number) {
    if ((number >> bit & 1) == 0) continue;
    const Limb* bucket = buckets + (number - 1) * (kSelectionDigits * kRow);
    unrolled<kSelectionDigits>([&](auto digit) UNROLLED {
      constexpr std::size_t d = decltype(digit)::value;
      digits[d] = _mm512_add_epi64(digits[d], load_row(bucket + d * kRow));
    });
  }
  unrolled<kSelectionDigits>([&](auto digit) UNROLLED {
    store_row(sum + decltype(digit)::value * kRow, digits[decltype(digit)::value]);
  });
}

std::uint64_t selection_words(std::uint64_t* sum, std::uint64_t* words) {
  const Vec mask = all_lanes((Limb{1} << kBits) - 1);
  const Vec zero = _mm512_setzero_si512();
  Vec digits[kSelectionDigits];
  unrolled<kSelectionDigits>([&](auto digit) UNROLLED {
    digits[decltype(digit)::value] = load_row(sum + decltype(digit)::value * kRow);
  });
  // Every round moves the carries of all digits and lanes up by one digit, without waiting for each
  // other. After the first one digits exceed 48 bits about once in 2^32; when that happens next to
  // digits of ones, the rounds that follow pass it on.
  Vec carried_out = zero;
  Vec excess = zero;
  do {
    Vec carry = _mm512_srli_epi64(digits[kSelectionDigits - 1], kBits);
    carried_out = _mm512_add_epi64(carried_out, carry);
    carry = _mm512_alignr_epi64(carry, zero, kRow - 1);
    excess = zero;
    unrolled<kSelectionDigits>([&](auto digit) UNROLLED {
      Vec& row = digits[decltype(digit)::value];
      const Vec next_carry = _mm512_srli_epi64(row, kBits);
      row = _mm512_add_epi64(_mm512_and_si512(row, mask), carry);
      excess = _mm512_or_si512(excess, row);
      carry = next_carry;
    });
  } while (_mm512_cmpgt_epu64_mask(excess, mask) != 0);
  unrolled<kSelectionDigits / 4>([&](auto quarter) UNROLLED {
    constexpr std::size_t q = decltype(quarter)::value;
    const Vec* d = digits + 4 * q;
    Limb* row = words + 3 * q * kRow;
    store_row(row, _mm512_or_si512(d[0], _mm512_slli_epi64(d[1], 48)));
    store_row(row + kRow,
              _mm512_or_si512(_mm512_srli_epi64(d[1], 16), _mm512_slli_epi64(d[2], 32)));
    store_row(row + 2 * kRow,
              _mm512_or_si512(_mm512_srli_epi64(d[2], 32), _mm512_slli_epi64(d[3], 16)));
  });
  constexpr __mmask8 kLastLane = 0x80;
  return static_cast<std::uint64_t>(_mm512_mask_reduce_add_epi64(kLastLane, carried_out));
}

}  // namespace fhe::cpu
