// SPDX-License-Identifier: Apache-2.0
// Long numbers of 64-bit words, least significant first: digits, carries, sums, choices.
//
// Carries. A sum of long numbers is made in chunks of kChunkWords words, each by one thread: a
// chunk alone first, which leaves a carry out of it and tells whether it is all ones, so that a
// carry into it would go through (AddWords, SumDigits and AddOverflows); then all carries at once
// (ScanCarries), and the carry into each chunk is added (AddCarries).
#pragma once

#include "accel/gpu/kernels/field.hpp"

namespace fhe::gpu {

constexpr unsigned kChunkWords = 32;

constexpr Word chunks_of(Word words) {
  return (words + kChunkWords - 1) / kChunkWords;
}

// The words [first, end) of a chunk of a number.
struct WordRange {
  Word first;
  Word end;
};
FHE_KERNEL WordRange chunk_words(Word chunk, Word word_count) {
  const Word first = chunk * kChunkWords;
  return {first, first + kChunkWords < word_count ? first + kChunkWords : word_count};
}

// Flags of a chunk. ScanCarries leaves the carry into the chunk in their place.
constexpr Word kCarriesOut = 1;
constexpr Word kCarriesThrough = 2;

// A number in memory; words beyond the end are 0.
struct Number {
  const Word* words;
  Word count;

  FHE_KERNEL Word word(Word i) const { return i < count ? words[i] : 0; }
  // Without the words below `first`.
  FHE_KERNEL Number from(Word first) const {
    return {words + (first < count ? first : count), first < count ? count - first : 0};
  }
  // Bits [first, first + bits), bits <= 64.
  FHE_KERNEL Word bits(Word first, unsigned bits) const {
    const Word at = first / kWordBits;
    const auto shift = static_cast<unsigned>(first % kWordBits);
    Word result = word(at) >> shift;
    if (shift > 0 && shift + bits > kWordBits) result |= word(at + 1) << (kWordBits - shift);
    return bits == kWordBits ? result : result & ((Word{1} << bits) - 1);
  }
};

// digits[i] = bits [i digit_bits, (i + 1) digit_bits) of a number, for i < count.
struct TakeDigits : ForEach<TakeDigits> {
  struct Item {
    Number number;
    Word* digits;
    Word count;
    unsigned digit_bits;
  };

  FHE_KERNEL static void each(const Item& item, Word i) {
    if (i < item.count) item.digits[i] = item.number.bits(i * item.digit_bits, item.digit_bits);
  }
};

// sum[i] = a[i] b[i], or sum[i] += a[i] b[i], modulo p, for i < count.
struct MultiplySpectra : ForEach<MultiplySpectra> {
  struct Item {
    Word* sum;
    const Word* a;
    const Word* b;
    Word count;
    Word is_first;  // else added to what is there
  };

  FHE_KERNEL static void each(const Item& item, Word i) {
    if (i >= item.count) return;
    const Word product = field_multiply(item.a[i], item.b[i]);
    item.sum[i] = item.is_first ? product : field_add(item.sum[i], product);
  }
};

// The chunks of sum_i digits[i] 2^(i digit_bits), of digits below 2^64 and digit_bits >= 2, without
// what goes beyond a chunk: that is below 2^66 and becomes two words in `overflows`.
struct SumDigits : ForEach<SumDigits> {
  struct Item {
    const Word* digits;
    Word count;
    Word* words;
    Word word_count;
    Word* overflows;  // two words for each chunk
    unsigned digit_bits;
  };

  FHE_KERNEL static void each(const Item& item, Word chunk) {
    if (chunk >= chunks_of(item.word_count)) return;
    const Word first = chunk * kChunkWords;
    const Word end = first + kChunkWords;
    Word low = 0;  // of what is summed up from the word on
    Word middle = 0;
    Word high = 0;
    Word digit = (first * kWordBits + item.digit_bits - 1) / item.digit_bits;
    for (Word word = first; word < end; ++word) {
      for (; digit < item.count && digit * item.digit_bits < (word + 1) * kWordBits; ++digit) {
        const auto shift = static_cast<unsigned>(digit * item.digit_bits - word * kWordBits);
        const Word value = item.digits[digit];
        const Word below = value << shift;
        const Word above = shift == 0 ? 0 : value >> (kWordBits - shift);
        low += below;
        const Word carry = low < below ? 1 : 0;
        middle += above;
        high += middle < above ? 1 : 0;
        middle += carry;
        high += middle < carry ? 1 : 0;
      }
      if (word < item.word_count) item.words[word] = low;
      low = middle;
      middle = high;
      high = 0;
    }
    item.overflows[2 * chunk] = low;
    item.overflows[2 * chunk + 1] = middle;
  }
};

// words[i] += addend through a chunk; returns the carry out of it. Sets `is_through` where all of
// its words are ones now.
FHE_KERNEL Word add_through(Word* words, Word first, Word end, Word addend, bool& is_through) {
  is_through = true;
  for (Word i = first; i < end; ++i) {
    words[i] += addend;
    addend = words[i] < addend ? 1 : 0;
    is_through = is_through && words[i] == ~Word{0};
  }
  return addend;
}

FHE_KERNEL Word flags_of(Word carry, bool is_through) {
  return (carry != 0 ? kCarriesOut : 0) | (is_through ? kCarriesThrough : 0);
}

// Adds the overflow of the chunk before to each chunk.
struct AddOverflows : ForEach<AddOverflows> {
  struct Item {
    Word* words;
    Word word_count;
    const Word* overflows;
    Word* flags;  // one word for each chunk
  };

  FHE_KERNEL static void each(const Item& item, Word chunk) {
    if (chunk >= chunks_of(item.word_count)) return;
    const auto [first, end] = chunk_words(chunk, item.word_count);
    const Word low = chunk == 0 ? 0 : item.overflows[2 * chunk - 2];
    const Word high = chunk == 0 ? 0 : item.overflows[2 * chunk - 1];
    // No chunk but the last one is shorter than two words, and nothing is carried out of that.
    item.words[first] += low;
    const Word carry = item.words[first] < low ? 1 : 0;
    bool is_through = true;
    const Word out = add_through(item.words, first + 1, end, high + carry, is_through);
    item.flags[chunk] = flags_of(out, is_through && item.words[first] == ~Word{0});
  }
};

// Chunks of x + y, or of x + ~y: x - y with a carry into the first chunk.
struct AddWords : ForEach<AddWords> {
  struct Item {
    Number x;
    Number y;
    Word* sum;
    Word word_count;
    Word* flags;
    Word is_difference;
  };

  FHE_KERNEL static void each(const Item& item, Word chunk) {
    if (chunk >= chunks_of(item.word_count)) return;
    const auto [first, end] = chunk_words(chunk, item.word_count);
    Word carry = 0;
    bool is_through = true;
    for (Word i = first; i < end; ++i) {
      const Word x = item.x.word(i);
      const Word y = item.is_difference ? ~item.y.word(i) : item.y.word(i);
      const Word partial = x + y;
      const Word sum = partial + carry;
      carry = partial < x || sum < partial ? 1 : 0;
      item.sum[i] = sum;
      is_through = is_through && sum == ~Word{0};
    }
    item.flags[chunk] = flags_of(carry, is_through);
  }
};

// Replaces the flags of each chunk by the carry into it, and writes the carry out of the last one.
struct ScanCarries {
  struct Item {
    Word* flags;
    Word chunks;
    Word carry_in;  // of the first chunk
    Word* carry_out;
  };
  // Of the chunks of one thread together.
  struct Registers {
    Word first;
    Word end;
  };
  static constexpr unsigned kThreads = 256;
  static constexpr unsigned kShared = kThreads;
  static constexpr unsigned kPhases = 3;

  // The carry out of a chunk with these flags.
  FHE_KERNEL static Word carry_after(Word flags, Word carry) {
    return (flags & kCarriesOut) != 0 || ((flags & kCarriesThrough) != 0 && carry != 0) ? 1 : 0;
  }

  template <unsigned kPhase>
  FHE_KERNEL static void run(const Launch<Item>& launch, Place place, Registers& registers,
                             Word* shared) {
    const Item& item = launch.item(place);
    if constexpr (kPhase == 0) {
      const Word each = (item.chunks + kThreads - 1) / kThreads;
      const Word first = each * place.thread;
      registers.first = first < item.chunks ? first : item.chunks;
      registers.end = first + each < item.chunks ? first + each : item.chunks;
      Word out = 0;
      Word through = 1;
      for (Word i = registers.first; i < registers.end; ++i) {
        out = carry_after(item.flags[i], out);
        through = carry_after(item.flags[i] & kCarriesThrough, through);
      }
      shared[place.thread] = flags_of(out, through != 0);
    } else if constexpr (kPhase == 1) {
      if (place.thread != 0) return;
      Word carry = item.carry_in;
      for (unsigned i = 0; i < kThreads; ++i) {
        const Word flags = shared[i];
        shared[i] = carry;
        carry = carry_after(flags, carry);
      }
      *item.carry_out = carry;
    } else {
      Word carry = shared[place.thread];
      for (Word i = registers.first; i < registers.end; ++i) {
        const Word flags = item.flags[i];
        item.flags[i] = carry;
        carry = carry_after(flags, carry);
      }
    }
  }
};

// Adds the carry into each chunk.
struct AddCarries : ForEach<AddCarries> {
  struct Item {
    Word* words;
    Word word_count;
    const Word* carries;
  };

  FHE_KERNEL static void each(const Item& item, Word chunk) {
    if (chunk >= chunks_of(item.word_count) || item.carries[chunk] == 0) return;
    const auto [first, end] = chunk_words(chunk, item.word_count);
    bool is_through = true;
    static_cast<void>(add_through(item.words, first, end, 1, is_through));
  }
};

// result = *condition != 0 ? x : y.
struct Choose : ForEach<Choose> {
  struct Item {
    const Word* condition;
    Number x;
    Number y;
    Word* result;
    Word word_count;
  };

  FHE_KERNEL static void each(const Item& item, Word i) {
    if (i >= item.word_count) return;
    const Word mask = Word{0} - (*item.condition != 0 ? 1 : 0);
    item.result[i] = (item.x.word(i) & mask) | (item.y.word(i) & ~mask);
  }
};

}  // namespace fhe::gpu
