// Sums that carry from word to word, in the instructions of a machine that has no carry flag.
#pragma once

#include <span>

#include "apps/bench/counts/word.hpp"

namespace fhe::bench {

// low + 2^64 carry = x y + addend + carry: 1 product, 4 additions, 2 comparisons.
inline Word multiply_add(Word x, Word y, Word addend, Word& carry) {
  const Word::Product product = Word::multiply(x, y);
  Word low = product.low();
  Word high = product.high();
  low += addend;
  high += less(low, addend);
  low += carry;
  carry = high + less(low, carry);
  return low;
}

// sum += addend, least significant words aligned; returns the carry out of sum.
// Requires sum.size() >= addend.size().
Word add_to(std::span<Word> sum, std::span<const Word> addend);

// difference -= subtrahend; returns the borrow. Requires difference.size() >= subtrahend.size().
Word subtract_from(std::span<Word> difference, std::span<const Word> subtrahend);

}  // namespace fhe::bench
