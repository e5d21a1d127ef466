// SPDX-License-Identifier: Apache-2.0
// Passes over the elements of a stream, which stand one behind the other in memory: their
// generation, sums with weights, selected sums, and the leading words of products.
#pragma once

#include "accel/gpu/kernels/words.hpp"

namespace fhe::gpu {

// Elements of the generator "aes128ctr-v1" (libfhe/random/public_stream.hpp). A thread makes one
// block, of two words.
struct ExpandStream {
  struct Item {
    const Word* table;       // 256 entries of the first table of rounds, two in a word
    const Word* round_keys;  // 44 words of 32 bits, each in one of its own
    Word* elements;
    Word count;
    Word words_each;
    Word last_mask;  // of the last word of an element
    Word purpose;
    Word first_index;
  };
  using Registers = NoRegisters;
  static constexpr unsigned kThreads = 256;
  static constexpr unsigned kShared = 128;
  static constexpr unsigned kPhases = 2;

  FHE_KERNEL static constexpr Word blocks_of(Word words_each) { return (words_each + 1) / 2; }

  template <unsigned kPhase>
  FHE_KERNEL static void run(const Launch<Item>& launch, Place place, Registers& /*registers*/,
                             Word* shared) {
    const Item& item = launch.item(place);
    if constexpr (kPhase == 0) {
      if (place.thread < kShared) shared[place.thread] = item.table[place.thread];
    } else {
      const Word index = launch.index(place, kThreads);
      const Word blocks = blocks_of(item.words_each);
      if (index >= item.count * blocks) return;
      const Word element = index / blocks;
      const Word block = index % blocks;
      unsigned columns[4] = {static_cast<unsigned>(item.purpose),
                             static_cast<unsigned>(item.first_index + element),
                             static_cast<unsigned>(block >> 32), static_cast<unsigned>(block)};
      encrypt(shared, item.round_keys, columns);
      const Word first = swapped(columns[0]) | swapped(columns[1]) << 32;
      const Word second = swapped(columns[2]) | swapped(columns[3]) << 32;
      Word* const out = item.elements + element * item.words_each;
      const Word at = 2 * block;
      const Word last = item.words_each - 1;
      out[at] = at == last ? first & item.last_mask : first;
      if (at < last) out[at + 1] = at + 1 == last ? second & item.last_mask : second;
    }
  }

 private:
  FHE_KERNEL static unsigned entry(const Word* table, unsigned byte) {
    return static_cast<unsigned>(table[byte / 2] >> (32 * (byte % 2)));
  }
  FHE_KERNEL static unsigned rotated(unsigned x, unsigned bits) {
    return x >> bits | x << (32 - bits);
  }
  FHE_KERNEL static Word swapped(unsigned x) {
    return x >> 24 | (x >> 8 & 0xff00U) | (x << 8 & 0xff0000U) | x << 24;
  }

  // FIPS 197 by columns: a table entry is (2 s, s, s, 3 s) for the substituted byte s, and the
  // other three tables of a round are its rotations.
  FHE_KERNEL static void encrypt(const Word* table, const Word* keys, unsigned* columns) {
    FHE_UNROLL
    for (unsigned i = 0; i < 4; ++i) columns[i] ^= static_cast<unsigned>(keys[i]);
    for (unsigned round = 1; round <= 10; ++round) {
      unsigned next[4];
      FHE_UNROLL
      for (unsigned i = 0; i < 4; ++i) {
        const unsigned a = entry(table, columns[i] >> 24);
        const unsigned b = entry(table, columns[(i + 1) % 4] >> 16 & 0xff);
        const unsigned c = entry(table, columns[(i + 2) % 4] >> 8 & 0xff);
        const unsigned d = entry(table, columns[(i + 3) % 4] & 0xff);
        const unsigned mixed = a ^ rotated(b, 8) ^ rotated(c, 16) ^ rotated(d, 24);
        // The last round substitutes only: s is the third byte of an entry.
        const unsigned substituted =
            (a << 16 & 0xff000000U) | (b << 8 & 0xff0000U) | (c & 0xff00U) | (d >> 8 & 0xffU);
        next[i] = (round < 10 ? mixed : substituted) ^ static_cast<unsigned>(keys[4 * round + i]);
      }
      FHE_UNROLL
      for (unsigned i = 0; i < 4; ++i) columns[i] = next[i];
    }
  }
};

// Three words of a column: what is summed up at one place of a long number.
struct Column {
  Word low = 0;
  Word middle = 0;
  Word high = 0;

  FHE_KERNEL void add(Word x) {
    low += x;
    const Word carry = low < x ? 1 : 0;
    middle += carry;
    high += middle < carry ? 1 : 0;
  }
  FHE_KERNEL void add_product(Word x, Word y) {
    add(x * y);
    const Word upper = high_product(x, y);
    middle += upper;
    high += middle < upper ? 1 : 0;
  }
};

// Where columns go: the sum of low + 2^64 middle + 2^128 high is the number.
struct Columns {
  Word* low;
  Word* middle;
  Word* high;
  Word count;

  FHE_KERNEL void store(Word at, const Column& column) const {
    low[at] = column.low;
    middle[at] = column.middle;
    high[at] = column.high;
  }
};

// The columns of sum_i y_i w_i, for weights of weight_words words each. A thread makes one column.
struct DenseSums : ForEach<DenseSums> {
  struct Item {
    const Word* elements;
    Word count;
    Word words_each;
    const Word* weights;
    Word weight_words;
    Columns columns;
  };

  FHE_KERNEL static void each(const Item& item, Word at) {
    if (at >= item.columns.count) return;
    // y_i[at - j] w_i[j] for the j with 0 <= at - j < words_each
    const Word first = at < item.words_each ? 0 : at - item.words_each + 1;
    const Word end = at + 1 < item.weight_words ? at + 1 : item.weight_words;
    Column column;
    for (Word i = 0; i < item.count; ++i) {
      const Word* const element = item.elements + i * item.words_each + at;
      const Word* const weight = item.weights + i * item.weight_words;
      for (Word j = first; j < end; ++j) column.add_product(*(element - j), weight[j]);
    }
    item.columns.store(at, column);
  }
};

// The columns of sum_i y_i (2^p + 2^p' + ...), `ones` positions p for each element.
struct SparseSums : ForEach<SparseSums> {
  struct Item {
    const Word* elements;
    Word count;
    Word words_each;
    const Word* positions;
    Word ones;
    Columns columns;
  };

  FHE_KERNEL static void each(const Item& item, Word at) {
    if (at >= item.columns.count) return;
    Column column;
    for (Word i = 0; i < item.count; ++i) {
      const Number element{item.elements + i * item.words_each, item.words_each};
      for (Word k = 0; k < item.ones; ++k) {
        const Word position = item.positions[i * item.ones + k];
        const Word words = position / kWordBits;
        const auto shift = static_cast<unsigned>(position % kWordBits);
        if (at < words) continue;
        Word word = element.word(at - words) << shift;
        if (shift > 0 && at > words) word |= element.word(at - words - 1) >> (kWordBits - shift);
        column.add(word);
      }
    }
    item.columns.store(at, column);
  }
};

// The columns of the sum of the elements [first, end) whose mask has the bit: elements one behind
// the other, or, where `places` is not null, at the addresses there.
struct SelectedSums : ForEach<SelectedSums> {
  struct Item {
    const Word* elements;
    const Word* places;
    Word words_each;
    const Word* masks;  // of all elements
    Word first;
    Word end;
    Word bit;
    Columns columns;
  };

  FHE_KERNEL static void each(const Item& item, Word at) {
    if (at >= item.columns.count) return;
    Column column;
    if (at < item.words_each) {
      for (Word i = item.first; i < item.end; ++i) {
        if ((item.masks[i] >> item.bit & 1) == 0) continue;
        const Word* const element = item.places != nullptr
                                        ? reinterpret_cast<const Word*>(item.places[i])
                                        : item.elements + i * item.words_each;
        column.add(element[at]);
      }
    }
    item.columns.store(at, column);
  }
};

// Of c y, c of n words with its words in reverse order (and a zero behind them): but for carries
// from below, word n - 1 of the product modulo 2^(64 n),
//
//   sum_k lo(y_k c_(n-1-k)) + sum_k hi(y_k c_(n-2-k))  modulo 2^64.
//
// A block makes one, of the element of its number.
struct LeadingWords {
  struct Item {
    const Word* elements;
    Word words_each;  // n at most
    const Word* reversed;
    Word* leading;
  };
  using Registers = NoRegisters;
  static constexpr unsigned kThreads = 256;
  static constexpr unsigned kShared = kThreads;
  static constexpr unsigned kPhases = 2;

  template <unsigned kPhase>
  FHE_KERNEL static void run(const Launch<Item>& launch, Place place, Registers& /*registers*/,
                             Word* shared) {
    const Item& item = launch.item(place);
    const Word number = place.block % launch.blocks_each;
    if constexpr (kPhase == 0) {
      const Word* const element = item.elements + number * item.words_each;
      Word sum = 0;
      for (Word k = place.thread; k < item.words_each; k += kThreads) {
        sum += element[k] * item.reversed[k];
        sum += high_product(element[k], item.reversed[k + 1]);
      }
      shared[place.thread] = sum;
    } else {
      if (place.thread != 0) return;
      Word sum = 0;
      for (unsigned i = 0; i < kThreads; ++i) sum += shared[i];
      item.leading[number] = sum;
    }
  }
};

}  // namespace fhe::gpu
