// SPDX-License-Identifier: Apache-2.0
// Integers to digits and coefficients back to integers with AVX2 (see kernel_table.hpp). Eight
// digits of b bits are b bytes, so groups of eight begin at whole bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <immintrin.h>

#include "accel/cpu/bounds.hpp"
#include "accel/cpu/simd/avx2.hpp"

namespace fhe::cpu::goldilocks {

namespace {

// Four digits of a group of eight, from two loads of 16 bytes with two digits each: the first of
// digits d and d + 1 at byte floor(d b / 8). Each lane of 64 bits gets eight bytes from the one on
// where its digit begins, and 7 + 28 <= 64.
struct FourDigits {
  std::size_t low_byte;
  std::size_t high_byte;
  Vec bytes;
  Vec shift;

  FourDigits(unsigned first, unsigned bits)
      : low_byte(first * bits / 8), high_byte((first + 2) * bits / 8) {
    alignas(32) std::uint8_t from[32];
    alignas(32) std::uint64_t begin[4];
    for (unsigned lane = 0; lane < 4; ++lane) {
      const unsigned bit = (first + lane) * bits - (first + lane / 2 * 2) * bits / 8 * 8;
      begin[lane] = bit % 8;
      for (unsigned k = 0; k < 8; ++k) {
        from[8 * lane + k] = static_cast<std::uint8_t>(bit / 8 + k);
      }
    }
    bytes = _mm256_load_si256(reinterpret_cast<const Vec*>(from));
    shift = load(begin);
  }

  [[gnu::always_inline]] Vec read(const unsigned char* group, Vec mask) const {
    const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(group + low_byte));
    const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(group + high_byte));
    const Vec wide = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), bytes);
    return bit_and(shift_right(wide, shift), mask);
  }
};

void split_avx2(std::uint64_t* digits, const std::uint64_t* limbs, std::size_t count,
                unsigned bits) {
  const FourDigits low(0, bits);
  const FourDigits high(4, bits);
  const Vec mask = all((std::uint64_t{1} << bits) - 1);
  const auto* from = reinterpret_cast<const unsigned char*>(limbs);
  for (std::size_t i = 0; i < count; i += 8, from += bits) {
    store(digits + i, low.read(from, mask));
    store(digits + i + kWidth, high.read(from, mask));
  }
}

// Digits of which only single carries are missing, four coefficients at a time: the parts and
// bounds of join_portable.
class AlmostDigits {
 public:
  // `previous` are the eight coefficients before.
  AlmostDigits(const std::uint64_t* previous, unsigned bits)
      : mask_(all((std::uint64_t{1} << bits) - 1)), bits_(bits) {
    take(load(previous));
    take(load(previous + kWidth));
  }

  [[gnu::always_inline]] Vec take(Vec x) {
    const Vec shifted = shift_right(x, bits_);
    const Vec middle = bit_and(shifted, mask_);
    const Vec top = shift_right(shifted, bits_);
    const Vec sum =
        add(bit_and(x, mask_), add(lanes_up<1>(middle, middle_), lanes_up<2>(top, top_)));
    const Vec high = shift_right(sum, bits_);
    const Vec digits = add(bit_and(sum, mask_), lanes_up<1>(high, high_));
    middle_ = middle;
    top_ = top;
    high_ = high;
    return digits;
  }

 private:
  Vec mask_;
  unsigned bits_;
  Vec middle_ = zero();
  Vec top_ = zero();
  Vec high_ = zero();
};

// Four digits side by side: 4 b bits.
struct FourTogether {
  std::uint64_t low;
  std::uint64_t high;

  [[gnu::always_inline]] FourTogether(Vec digits, Vec odd_left, unsigned bits) {
    const Vec parts = shift_left(digits, odd_left);
    const Vec pairs = bit_or(parts, _mm256_shuffle_epi32(parts, 0x4e));
    const auto first = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm256_castsi256_si128(pairs)));
    const auto second =
        static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm256_extracti128_si256(pairs, 1)));
    low = first | second << (2 * bits);
    high = second >> (64 - 2 * bits);
  }
};

// Eight digits as b bytes, and some bytes more of no meaning.
[[gnu::always_inline]] inline void store_eight(unsigned char* to, const FourTogether& first,
                                               const FourTogether& second, unsigned bits) {
  const unsigned at = bits / 2;  // the byte in which the second four begin, at this bit:
  const unsigned left = bits % 2 * 4;
  const std::uint64_t words[2] = {first.high >> (8 * at - 64) | second.low << left,
                                  second.high << left | second.low >> 1 >> (63 - left)};
  std::memcpy(to, &first.low, sizeof first.low);
  std::memcpy(to + sizeof first.low, &first.high, sizeof first.high);
  std::memcpy(to + at, words, sizeof words);
}

// The single carries of eight digits are found by one addition, as join_digits of digits_avx512.hpp
// says.
unsigned join_avx2(std::uint64_t* limbs, const std::uint64_t* coefficients,
                   const std::uint64_t* previous, std::size_t count, unsigned bits,
                   unsigned carry) {
  const Vec mask = all((std::uint64_t{1} << bits) - 1);
  const Vec low_lanes = _mm256_setr_epi64x(1, 2, 4, 8);
  const Vec high_lanes = shift_left<4>(low_lanes);
  const Vec odd_left = _mm256_setr_epi64x(0, bits, 0, bits);
  AlmostDigits digits(previous, bits);
  auto* to = reinterpret_cast<unsigned char*>(limbs);
  for (std::size_t i = 0; i < count; i += 8, to += bits) {
    Vec low = digits.take(load(coefficients + i));
    Vec high = digits.take(load(coefficients + i + kWidth));
    verify("digits before the last carry < 2^b + 2^5", [&] {
      const Vec last = add(mask, all(32));
      return lanes_of(_mm256_cmpgt_epi64(low, last)) == 0 &&
             lanes_of(_mm256_cmpgt_epi64(high, last)) == 0;
    });
    const unsigned generate =
        lanes_of(_mm256_cmpgt_epi64(low, mask)) | lanes_of(_mm256_cmpgt_epi64(high, mask)) << 4;
    const unsigned propagate =
        lanes_of(_mm256_cmpeq_epi64(low, mask)) | lanes_of(_mm256_cmpeq_epi64(high, mask)) << 4;
    const unsigned carries = 2 * generate + carry + propagate;
    carry = carries >> 8;
    const Vec receive = all(carries ^ propagate);
    const auto carried = [&](Vec x, Vec lanes) __attribute__((always_inline)) {
      const Vec minus_one = _mm256_cmpeq_epi64(bit_and(receive, lanes), lanes);
      return bit_and(sub(x, minus_one), mask);
    };
    low = carried(low, low_lanes);
    high = carried(high, high_lanes);
    const FourTogether first(low, odd_left, bits);
    const FourTogether second(high, odd_left, bits);
    if (i + 8 < count) {
      store_eight(to, first, second, bits);
    } else {
      unsigned char last[32];
      store_eight(last, first, second, bits);
      std::memcpy(to, last, bits);
    }
  }
  return carry;
}

}  // namespace

}  // namespace fhe::cpu::goldilocks
