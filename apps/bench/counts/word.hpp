// SPDX-License-Identifier: Apache-2.0
// A 64-bit word that counts what is done with it, by the classes of MIPS64 instructions that table
// I of the FFT paper (Wang, Huang, Emmart and Weems, IEEE Trans. VLSI 22(9), 2014) counts.
#pragma once

#include <cstdint>
#include <vector>

namespace fhe::bench {

// What one computation did. Loads, stores, branches and loop counters are not counted.
struct WordCounts {
  std::uint64_t multiplications = 0;  // dmultu
  std::uint64_t product_reads = 0;    // mflo, mfhi
  std::uint64_t additions = 0;        // daddu, dsubu
  std::uint64_t shifts = 0;           // dsll, dsrl
  std::uint64_t logic = 0;            // and, or
  std::uint64_t comparisons = 0;      // sltu
  std::uint64_t moves = 0;            // movz, movn

  [[nodiscard]] std::uint64_t total() const {
    return multiplications + product_reads + additions + shifts + logic + comparisons + moves;
  }
};

class CountedWord {
 public:
  constexpr CountedWord() = default;
  constexpr explicit CountedWord(std::uint64_t value) : value_(value) {}

  [[nodiscard]] constexpr std::uint64_t value() const { return value_; }

  // What all words of this thread did since the counts were last set.
  static WordCounts& counts() {
    static thread_local WordCounts counts;
    return counts;
  }

  friend CountedWord operator+(CountedWord a, CountedWord b) {
    ++counts().additions;
    return CountedWord(a.value_ + b.value_);
  }
  friend CountedWord operator-(CountedWord a, CountedWord b) {
    ++counts().additions;
    return CountedWord(a.value_ - b.value_);
  }
  friend CountedWord operator<<(CountedWord a, unsigned bits) {
    ++counts().shifts;
    return CountedWord(a.value_ << bits);
  }
  friend CountedWord operator>>(CountedWord a, unsigned bits) {
    ++counts().shifts;
    return CountedWord(a.value_ >> bits);
  }
  friend CountedWord operator&(CountedWord a, CountedWord b) {
    ++counts().logic;
    return CountedWord(a.value_ & b.value_);
  }
  friend CountedWord operator|(CountedWord a, CountedWord b) {
    ++counts().logic;
    return CountedWord(a.value_ | b.value_);
  }
  CountedWord& operator+=(CountedWord b) { return *this = *this + b; }
  CountedWord& operator-=(CountedWord b) { return *this = *this - b; }

  // 1 when a < b, else 0.
  friend CountedWord less(CountedWord a, CountedWord b) {
    ++counts().comparisons;
    return CountedWord(a.value_ < b.value_ ? 1 : 0);
  }

  // `replacement` when the condition is not 0, else `kept`.
  friend CountedWord select(CountedWord condition, CountedWord replacement, CountedWord kept) {
    ++counts().moves;
    return condition.value_ != 0 ? replacement : kept;
  }

  class Product;
  static Product multiply(CountedWord a, CountedWord b);

 private:
  __extension__ using Wide = unsigned __int128;

  std::uint64_t value_ = 0;
};

// A 128-bit product, of which each half is fetched for itself.
class CountedWord::Product {
 public:
  [[nodiscard]] CountedWord low() const {
    ++counts().product_reads;
    return CountedWord(static_cast<std::uint64_t>(product_));
  }
  [[nodiscard]] CountedWord high() const {
    ++counts().product_reads;
    return CountedWord(static_cast<std::uint64_t>(product_ >> 64));
  }

 private:
  friend class CountedWord;
  explicit Product(Wide product) : product_(product) {}

  Wide product_;
};

inline CountedWord::Product CountedWord::multiply(CountedWord a, CountedWord b) {
  ++counts().multiplications;
  return Product(static_cast<Wide>(a.value_) * b.value_);
}

// An integer, least significant word first, of a length that is given by its use.
using Words = std::vector<CountedWord>;

}  // namespace fhe::bench
