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

class Word {
 public:
  constexpr Word() = default;
  constexpr explicit Word(std::uint64_t value) : value_(value) {}

  [[nodiscard]] constexpr std::uint64_t value() const { return value_; }

  // What all words of this thread did since the counts were last set.
  static WordCounts& counts() {
    static thread_local WordCounts counts;
    return counts;
  }

  friend Word operator+(Word a, Word b) {
    ++counts().additions;
    return Word(a.value_ + b.value_);
  }
  friend Word operator-(Word a, Word b) {
    ++counts().additions;
    return Word(a.value_ - b.value_);
  }
  friend Word operator<<(Word a, unsigned bits) {
    ++counts().shifts;
    return Word(a.value_ << bits);
  }
  friend Word operator>>(Word a, unsigned bits) {
    ++counts().shifts;
    return Word(a.value_ >> bits);
  }
  friend Word operator&(Word a, Word b) {
    ++counts().logic;
    return Word(a.value_ & b.value_);
  }
  friend Word operator|(Word a, Word b) {
    ++counts().logic;
    return Word(a.value_ | b.value_);
  }
  Word& operator+=(Word b) { return *this = *this + b; }
  Word& operator-=(Word b) { return *this = *this - b; }

  // 1 when a < b, else 0.
  friend Word less(Word a, Word b) {
    ++counts().comparisons;
    return Word(a.value_ < b.value_ ? 1 : 0);
  }

  // `replacement` when the condition is not 0, else `kept`.
  friend Word select(Word condition, Word replacement, Word kept) {
    ++counts().moves;
    return condition.value_ != 0 ? replacement : kept;
  }

  class Product;
  static Product multiply(Word a, Word b);

 private:
  __extension__ using Wide = unsigned __int128;

  std::uint64_t value_ = 0;
};

// A 128-bit product, of which each half is fetched for itself.
class Word::Product {
 public:
  [[nodiscard]] Word low() const {
    ++counts().product_reads;
    return Word(static_cast<std::uint64_t>(product_));
  }
  [[nodiscard]] Word high() const {
    ++counts().product_reads;
    return Word(static_cast<std::uint64_t>(product_ >> 64));
  }

 private:
  friend class Word;
  explicit Product(Wide product) : product_(product) {}

  Wide product_;
};

inline Word::Product Word::multiply(Word a, Word b) {
  ++counts().multiplications;
  return Product(static_cast<Wide>(a.value_) * b.value_);
}

// An integer, least significant word first, of a length that is given by its use.
using Words = std::vector<Word>;

}  // namespace fhe::bench
