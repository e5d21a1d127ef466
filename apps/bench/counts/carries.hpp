// SPDX-License-Identifier: Apache-2.0
// Sums that carry from word to word, in the instructions of a machine that has no carry flag.
#pragma once

#include <span>

#include "apps/bench/counts/word.hpp"

namespace fhe::bench {

// low + 2^64 carry = x y + addend + carry: 1 product, 4 additions, 2 comparisons.
inline CountedWord multiply_add(CountedWord x, CountedWord y, CountedWord addend,
                                CountedWord& carry) {
  const CountedWord::Product product = CountedWord::multiply(x, y);
  CountedWord low = product.low();
  CountedWord high = product.high();
  low += addend;
  high += less(low, addend);
  low += carry;
  carry = high + less(low, carry);
  return low;
}

// sum += addend, least significant words aligned; returns the carry out of sum.
// Requires sum.size() >= addend.size().
CountedWord add_to(std::span<CountedWord> sum, std::span<const CountedWord> addend);

// difference -= subtrahend; returns the borrow. Requires difference.size() >= subtrahend.size().
CountedWord subtract_from(std::span<CountedWord> difference,
                          std::span<const CountedWord> subtrahend);

}  // namespace fhe::bench
