// SPDX-License-Identifier: Apache-2.0
// Montgomery products of integers on counting words: a b / R modulo N, R = 2^(64 N.size()).
#pragma once

#include "apps/bench/counts/word.hpp"
#include "libfhe/arith/integer.hpp"

namespace fhe::bench {

Words words_from(const Integer& x, std::size_t count);  // requires 0 <= x < 2^(64 count)
Integer integer_from(const Words& x);

// An odd modulus and what is computed for it beforehand.
class MontgomeryModulus {
 public:
  // Requires an odd modulus of at most 64 `words` bits.
  MontgomeryModulus(const Integer& modulus, std::size_t words);

  // The interleaved (word by word) method. a, b < N, of the modulus's words, as is the result.
  [[nodiscard]] Words interleaved(const Words& a, const Words& b) const;

  // T = a b;  m = (T mod R) N' mod R;  (T + m N) / R: three products by `multiply`.
  using Multiply = Words (*)(const Words&, const Words&);
  [[nodiscard]] Words by_products(const Words& a, const Words& b, Multiply multiply) const;

 private:
  // x - N when x >= N; x < 2 N, of one word more than N.
  [[nodiscard]] Words corrected(Words x) const;

  Words modulus_;
  Words inverse_;  // N' = -1/N modulo R
};

}  // namespace fhe::bench
