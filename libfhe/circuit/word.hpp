// SPDX-License-Identifier: Apache-2.0
// Unsigned integers of any width on any algebra, with the operators of plain C++.
//
//   const Word<const Evaluator> price(evaluator, price_bits), bid(evaluator, bid_bits);
//   const Word<const Evaluator> paid = mux(bid >= price, price, constant_word(evaluator, 32, 0));
//
// As with C++'s unsigned integers, results are taken modulo 2^width. Both operands of an operator
// must have the same width; it throws Error(invalid_argument) when they do not. Bit 0 is that of
// value 1. The operators save ANDs; where that costs depth, there is a named function (add,
// subtract, less, multiply, popcount) that takes Prefer::low_depth.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "libfhe/circuit/bit.hpp"
#include "libfhe/circuit/builder.hpp"
#include "libfhe/circuit/columns.hpp"
#include "libfhe/export.hpp"

namespace fhe {

// Throws Error(invalid_argument) unless the widths of an operation's operands are equal.
FHE_EXPORT void require_equal_widths(std::size_t left, std::size_t right);

// Throws Error(invalid_argument) unless i < width.
FHE_EXPORT void require_bit(std::size_t i, std::size_t width);

// Throws Error(invalid_argument) unless there are 2^index_bits table entries, index_bits <= 20.
FHE_EXPORT void require_table_size(std::size_t entries, std::size_t index_bits);

// An unsigned integer. Keeps a pointer to its algebra, which must outlive it. A value; copying
// copies its bits.
template <BitAlgebra Algebra>
class Word {
 public:
  // The bits of a word, bit 0 first.
  using Bits = std::vector<Bit<Algebra>>;

  // The word of these bits, bit 0 first.
  Word(Algebra& algebra, Bits bits) : algebra_(&algebra), bits_(std::move(bits)) {}
  Word(Algebra& algebra, const std::vector<BitValue<Algebra>>& values) : algebra_(&algebra) {
    for (const auto& value : values) bits_.emplace_back(algebra, value);
  }

  // Number of bits.
  [[nodiscard]] std::size_t width() const { return bits_.size(); }
  // All bits.
  [[nodiscard]] const Bits& bits() const { return bits_; }
  // Bit i. Throws Error(invalid_argument) unless i < width().
  [[nodiscard]] const Bit<Algebra>& operator[](std::size_t i) const {
    require_bit(i, width());
    return bits_[i];
  }
  // The algebra.
  [[nodiscard]] Algebra& algebra() const { return *algebra_; }

  // The bits in their algebra, where known ones become constants; bit 0 first.
  [[nodiscard]] std::vector<BitValue<Algebra>> values() const {
    std::vector<BitValue<Algebra>> values;
    for (const auto& bit : bits_) values.push_back(bit.value());
    return values;
  }

  // The word with another width: without its upper bits, or with zeros above.
  [[nodiscard]] Word resized(std::size_t width) const {
    const auto zero = Bit<Algebra>::known(*algebra_, false);
    Bits bits;
    for (std::size_t i = 0; i < width; ++i) bits.push_back(i < bits_.size() ? bits_[i] : zero);
    return Word(*algebra_, std::move(bits));
  }

 private:
  Algebra* algebra_;
  Bits bits_;
};

// The public number `value` modulo 2^width.
template <class Algebra>
[[nodiscard]] Word<Algebra> constant_word(Algebra& algebra, std::size_t width,
                                          std::uint64_t value) {
  typename Word<Algebra>::Bits bits;
  for (std::size_t i = 0; i < width; ++i) {
    bits.push_back(Bit<Algebra>::known(algebra, i < 64 && (value >> i & 1) != 0));
  }
  return Word<Algebra>(algebra, std::move(bits));
}

// Adds the next input word to the circuit, or the next output word.
[[nodiscard]] inline Word<NetlistBuilder> input_word(NetlistBuilder& builder,
                                                     const std::string& name, std::size_t width) {
  return Word<NetlistBuilder>(builder, builder.input(name, width));
}
inline void output_word(NetlistBuilder& builder, const std::string& name,
                        const Word<NetlistBuilder>& word) {
  builder.output(name, word.values());
}

// The word of operation(x[i], y[i]) for every i.
template <class Algebra, class Operation>
[[nodiscard]] Word<Algebra> bit_by_bit(const Word<Algebra>& x, const Word<Algebra>& y,
                                       const Operation& operation) {
  require_equal_widths(x.width(), y.width());
  typename Word<Algebra>::Bits bits;
  for (std::size_t i = 0; i < x.width(); ++i) bits.push_back(operation(x[i], y[i]));
  return Word<Algebra>(x.algebra(), std::move(bits));
}

// Bit by bit: XOR, AND, OR and NOT.
template <class Algebra>
[[nodiscard]] Word<Algebra> operator^(const Word<Algebra>& x, const Word<Algebra>& y) {
  return bit_by_bit(x, y, [](const auto& a, const auto& b) { return a ^ b; });
}
template <class Algebra>
[[nodiscard]] Word<Algebra> operator&(const Word<Algebra>& x, const Word<Algebra>& y) {
  return bit_by_bit(x, y, [](const auto& a, const auto& b) { return a & b; });
}
template <class Algebra>
[[nodiscard]] Word<Algebra> operator|(const Word<Algebra>& x, const Word<Algebra>& y) {
  return bit_by_bit(x, y, [](const auto& a, const auto& b) { return a | b; });
}
template <class Algebra>
[[nodiscard]] Word<Algebra> operator~(const Word<Algebra>& x) {
  typename Word<Algebra>::Bits bits;
  for (const auto& bit : x.bits()) bits.push_back(~bit);
  return Word<Algebra>(x.algebra(), std::move(bits));
}

// s ? x : y, with one AND for each bit.
template <class Algebra>
[[nodiscard]] Word<Algebra> mux(const Bit<Algebra>& s, const Word<Algebra>& x,
                                const Word<Algebra>& y) {
  return bit_by_bit(x, y, [&s](const auto& a, const auto& b) { return mux(s, a, b); });
}

// A span of positions in a sum: the carry out of it as a function of the carry into it, which is
// generate + propagate * carry. Two adjacent spans make one, associatively, with two ANDs.
template <class Algebra>
struct CarrySpan {
  Bit<Algebra> generate;   // the carry out of it when none goes in
  Bit<Algebra> propagate;  // whether a carry that goes in changes that

  // The span of the positions of `lower`, followed by those of this one.
  [[nodiscard]] CarrySpan after(const CarrySpan& lower) const {
    return {generate ^ (propagate & lower.generate), propagate & lower.propagate};
  }
};

// The spans of the single positions of x + y + carry, after a first one for the carry itself.
template <class Algebra>
[[nodiscard]] std::vector<CarrySpan<Algebra>> carry_spans(const Word<Algebra>& x,
                                                          const Word<Algebra>& y,
                                                          const Bit<Algebra>& carry) {
  std::vector<CarrySpan<Algebra>> spans{{carry, Bit<Algebra>::known(x.algebra(), false)}};
  for (std::size_t i = 0; i < x.width(); ++i) spans.push_back({x[i] & y[i], x[i] ^ y[i]});
  return spans;
}

// The carries into positions 0 ... width of x + y + carry. few_ands: a chain of majorities, one AND
// for each bit. low_depth: Sklansky's prefix tree, of depth log2(width) + 1 and with about
// width log2(width) ANDs.
template <class Algebra>
[[nodiscard]] std::vector<Bit<Algebra>> carries(const Word<Algebra>& x, const Word<Algebra>& y,
                                                const Bit<Algebra>& carry, Prefer prefer) {
  require_equal_widths(x.width(), y.width());
  std::vector<Bit<Algebra>> result{carry};
  if (prefer == Prefer::few_ands) {
    for (std::size_t i = 0; i < x.width(); ++i) {
      result.push_back(majority(x[i], y[i], result.back()));
    }
    return result;
  }
  auto spans = carry_spans(x, y, carry);
  for (std::size_t half = 1; half < spans.size(); half *= 2) {
    for (std::size_t i = half; i < spans.size(); ++i) {
      if ((i & half) != 0) spans[i] = spans[i].after(spans[(i & ~(half - 1)) - 1]);
    }
  }
  for (std::size_t i = 1; i < spans.size(); ++i) result.push_back(spans[i].generate);
  return result;
}

// The last of these carries alone. low_depth: a balanced tree, about 3 width ANDs.
template <class Algebra>
[[nodiscard]] Bit<Algebra> last_carry(const Word<Algebra>& x, const Word<Algebra>& y,
                                      const Bit<Algebra>& carry, Prefer prefer) {
  require_equal_widths(x.width(), y.width());
  if (prefer == Prefer::few_ands) {
    Bit<Algebra> last = carry;
    for (std::size_t i = 0; i < x.width(); ++i) last = majority(x[i], y[i], last);
    return last;
  }
  auto spans = carry_spans(x, y, carry);
  while (spans.size() > 1) {
    std::vector<CarrySpan<Algebra>> merged;
    for (std::size_t i = 0; i + 1 < spans.size(); i += 2) {
      merged.push_back(spans[i + 1].after(spans[i]));
    }
    if (spans.size() % 2 != 0) merged.push_back(spans.back());
    spans = std::move(merged);
  }
  return spans.front().generate;
}

// x + y, or x + y + carry, modulo 2^width.
template <class Algebra>
[[nodiscard]] Word<Algebra> add(const Word<Algebra>& x, const Word<Algebra>& y,
                                const Bit<Algebra>& carry, Prefer prefer = Prefer::few_ands) {
  require_equal_widths(x.width(), y.width());
  if (x.width() == 0) return x;
  // The carry out of the last bit is not needed, and so not computed.
  auto into = carries(x.resized(x.width() - 1), y.resized(y.width() - 1), carry, prefer);
  return x ^ y ^ Word<Algebra>(x.algebra(), std::move(into));
}
template <class Algebra>
[[nodiscard]] Word<Algebra> add(const Word<Algebra>& x, const Word<Algebra>& y,
                                Prefer prefer = Prefer::few_ands) {
  return add(x, y, Bit<Algebra>::known(x.algebra(), false), prefer);
}

// x - y = x + ~y + 1 modulo 2^width.
template <class Algebra>
[[nodiscard]] Word<Algebra> subtract(const Word<Algebra>& x, const Word<Algebra>& y,
                                     Prefer prefer = Prefer::few_ands) {
  return add(x, ~y, Bit<Algebra>::known(x.algebra(), true), prefer);
}

// x + y, x - y and -x modulo 2^width, with few ANDs.
template <class Algebra>
[[nodiscard]] Word<Algebra> operator+(const Word<Algebra>& x, const Word<Algebra>& y) {
  return add(x, y);
}
template <class Algebra>
[[nodiscard]] Word<Algebra> operator-(const Word<Algebra>& x, const Word<Algebra>& y) {
  return subtract(x, y);
}
template <class Algebra>
[[nodiscard]] Word<Algebra> operator-(const Word<Algebra>& x) {
  return constant_word(x.algebra(), x.width(), 0) - x;
}

// x < y: the carry out of y + ~x = 2^width - 1 + (y - x).
template <class Algebra>
[[nodiscard]] Bit<Algebra> less(const Word<Algebra>& x, const Word<Algebra>& y,
                                Prefer prefer = Prefer::few_ands) {
  return last_carry(y, ~x, Bit<Algebra>::known(x.algebra(), false), prefer);
}
// Comparisons as unsigned integers, with few ANDs.
template <class Algebra>
[[nodiscard]] Bit<Algebra> operator<(const Word<Algebra>& x, const Word<Algebra>& y) {
  return less(x, y);
}
template <class Algebra>
[[nodiscard]] Bit<Algebra> operator>(const Word<Algebra>& x, const Word<Algebra>& y) {
  return less(y, x);
}
template <class Algebra>
[[nodiscard]] Bit<Algebra> operator<=(const Word<Algebra>& x, const Word<Algebra>& y) {
  return ~less(y, x);
}
template <class Algebra>
[[nodiscard]] Bit<Algebra> operator>=(const Word<Algebra>& x, const Word<Algebra>& y) {
  return ~less(x, y);
}

// Whether all bits are set, by a balanced tree; true if there are none.
template <class Algebra>
[[nodiscard]] Bit<Algebra> all_of(Algebra& algebra, std::vector<Bit<Algebra>> bits) {
  if (bits.empty()) return Bit<Algebra>::known(algebra, true);
  while (bits.size() > 1) {
    std::vector<Bit<Algebra>> pairs;
    for (std::size_t i = 0; i + 1 < bits.size(); i += 2) pairs.push_back(bits[i] & bits[i + 1]);
    if (bits.size() % 2 != 0) pairs.push_back(bits.back());
    bits = std::move(pairs);
  }
  return bits.front();
}

// Whether two words are equal, or differ: one AND fewer than there are bits.
template <class Algebra>
[[nodiscard]] Bit<Algebra> operator==(const Word<Algebra>& x, const Word<Algebra>& y) {
  return all_of(x.algebra(), (~(x ^ y)).bits());
}
template <class Algebra>
[[nodiscard]] Bit<Algebra> operator!=(const Word<Algebra>& x, const Word<Algebra>& y) {
  return ~(x == y);
}

// The smaller and the larger of two unsigned integers.
template <class Algebra>
[[nodiscard]] Word<Algebra> min(const Word<Algebra>& x, const Word<Algebra>& y) {
  return mux(x < y, x, y);
}
template <class Algebra>
[[nodiscard]] Word<Algebra> max(const Word<Algebra>& x, const Word<Algebra>& y) {
  return mux(x < y, y, x);
}

// x / y and x % y.
template <BitAlgebra Algebra>
struct Division {
  Word<Algebra> quotient;   // rounded down
  Word<Algebra> remainder;  // x - quotient * y
};

// Divides, by the method of the hand: bit by bit from the top, what is left of x loses y where y
// fits. About width^2 + 2 width ANDs, nearly all of them in a row. For y = 0 the quotient has all
// bits set, and the remainder is x.
template <class Algebra>
[[nodiscard]] Division<Algebra> divide(const Word<Algebra>& x, const Word<Algebra>& y) {
  require_equal_widths(x.width(), y.width());
  Algebra& algebra = x.algebra();
  const auto one = Bit<Algebra>::known(algebra, true);
  // none_above[k]: whether y has no bit at k or above.
  typename Word<Algebra>::Bits none_above(y.width() + 1, one);
  for (std::size_t k = y.width(); k-- > 0;) none_above[k] = none_above[k + 1] & ~y[k];
  typename Word<Algebra>::Bits quotient = x.bits();
  Word<Algebra> rest = x.resized(0);
  for (std::size_t i = x.width(); i-- > 0;) {
    // What is left has as many bits as were taken: the others are zero.
    typename Word<Algebra>::Bits taken{x[i]};
    taken.insert(taken.end(), rest.bits().begin(), rest.bits().end());
    rest = Word<Algebra>(algebra, std::move(taken));
    const Word<Algebra> complement = ~y.resized(rest.width());
    auto into = carries(rest, complement, one, Prefer::few_ands);
    quotient[i] = none_above[rest.width()] & into.back();
    into.pop_back();
    rest = mux(quotient[i], rest ^ complement ^ Word<Algebra>(algebra, std::move(into)), rest);
  }
  return {Word<Algebra>(algebra, std::move(quotient)), std::move(rest)};
}
template <class Algebra>
[[nodiscard]] Word<Algebra> operator/(const Word<Algebra>& x, const Word<Algebra>& y) {
  return divide(x, y).quotient;
}
template <class Algebra>
[[nodiscard]] Word<Algebra> operator%(const Word<Algebra>& x, const Word<Algebra>& y) {
  return divide(x, y).remainder;
}

// Shifts by a public number of places, filling with zeros: no gates at all.
template <class Algebra>
[[nodiscard]] Word<Algebra> operator<<(const Word<Algebra>& x, std::size_t places) {
  typename Word<Algebra>::Bits bits(std::min(places, x.width()),
                                    Bit<Algebra>::known(x.algebra(), false));
  for (std::size_t i = 0; bits.size() < x.width(); ++i) bits.push_back(x[i]);
  return Word<Algebra>(x.algebra(), std::move(bits));
}
template <class Algebra>
[[nodiscard]] Word<Algebra> operator>>(const Word<Algebra>& x, std::size_t places) {
  typename Word<Algebra>::Bits bits;
  for (std::size_t i = places; i < x.width(); ++i) bits.push_back(x[i]);
  return Word<Algebra>(x.algebra(), std::move(bits)).resized(x.width());
}

// x shifted by 2^k places for every bit k of the amount that is set; `shift` is one of the above.
template <class Algebra, class Shift>
[[nodiscard]] Word<Algebra> shifted_by_word(Word<Algebra> x, const Word<Algebra>& amount,
                                            const Shift& shift) {
  for (std::size_t k = 0; k < amount.width(); ++k) {
    const std::size_t places = k < 32 ? std::min(std::size_t{1} << k, x.width()) : x.width();
    x = mux(amount[k], shift(x, places), x);
  }
  return x;
}

// Shifts by a number of places that is itself a word, of any width.
template <class Algebra>
[[nodiscard]] Word<Algebra> operator<<(const Word<Algebra>& x, const Word<Algebra>& amount) {
  return shifted_by_word(x, amount, [](const auto& y, std::size_t places) { return y << places; });
}
template <class Algebra>
[[nodiscard]] Word<Algebra> operator>>(const Word<Algebra>& x, const Word<Algebra>& amount) {
  return shifted_by_word(x, amount, [](const auto& y, std::size_t places) { return y >> places; });
}

// Words as integers in two's complement, the last bit being the sign. What is not here is the same
// as for unsigned ones. The word with another width: without its upper bits, or with its sign
// above.
template <class Algebra>
[[nodiscard]] Word<Algebra> resized_signed(const Word<Algebra>& x, std::size_t width) {
  if (x.width() == 0) return x.resized(width);
  typename Word<Algebra>::Bits bits;
  for (std::size_t i = 0; i < width; ++i) bits.push_back(x[std::min(i, x.width() - 1)]);
  return Word<Algebra>(x.algebra(), std::move(bits));
}

// x < y: that of the unsigned numbers which are larger by half of 2^width.
template <class Algebra>
[[nodiscard]] Bit<Algebra> less_signed(const Word<Algebra>& x, const Word<Algebra>& y,
                                       Prefer prefer = Prefer::few_ands) {
  require_equal_widths(x.width(), y.width());
  if (x.width() == 0) return less(x, y);
  const auto raised = [](const Word<Algebra>& word) {
    typename Word<Algebra>::Bits bits = word.bits();
    bits.back() = ~bits.back();
    return Word<Algebra>(word.algebra(), std::move(bits));
  };
  return less(raised(x), raised(y), prefer);
}

// -x where `negative` is set, otherwise x: (x + s) - s for the word s whose bits are all
// `negative`.
template <class Algebra>
[[nodiscard]] Word<Algebra> negated_if(const Bit<Algebra>& negative, const Word<Algebra>& x) {
  const Word<Algebra> sign(x.algebra(), typename Word<Algebra>::Bits(x.width(), negative));
  return add(x ^ sign, constant_word(x.algebra(), x.width(), 0), negative);
}

// x / y, rounded towards zero, and x % y, of the sign of x, as in C++. For y = 0 the quotient is -1
// and the remainder x; for the smallest number divided by -1 they are that number and 0.
template <class Algebra>
[[nodiscard]] Division<Algebra> divide_signed(const Word<Algebra>& x, const Word<Algebra>& y) {
  require_equal_widths(x.width(), y.width());
  if (x.width() == 0) return divide(x, y);
  const Bit<Algebra>& x_sign = x.bits().back();
  const Bit<Algebra>& y_sign = y.bits().back();
  const auto sizes = divide(negated_if(x_sign, x), negated_if(y_sign, y));
  // The quotient of a size by 0 has all bits set; it is -1 already.
  const auto none = all_of(x.algebra(), (~y).bits());
  return {negated_if((x_sign ^ y_sign) & ~none, sizes.quotient),
          negated_if(x_sign, sizes.remainder)};
}

// x / 2^places, rounded down, by a public number of places or by a word of any width.
template <class Algebra>
[[nodiscard]] Word<Algebra> shift_right_signed(const Word<Algebra>& x, std::size_t places) {
  if (x.width() == 0) return x;
  places = std::min(places, x.width() - 1);
  return resized_signed((x >> places).resized(x.width() - places), x.width());
}
template <class Algebra>
[[nodiscard]] Word<Algebra> shift_right_signed(const Word<Algebra>& x,
                                               const Word<Algebra>& amount) {
  return shifted_by_word(
      x, amount, [](const auto& y, std::size_t places) { return shift_right_signed(y, places); });
}

// The sum of the columns. few_ands adds column by column; low_depth compresses three bits to two in
// layers and adds the last two numbers by a prefix tree.
template <class Algebra>
[[nodiscard]] Word<Algebra> sum_word(Algebra& algebra, BitColumns<Algebra> columns, Prefer prefer) {
  if (prefer == Prefer::few_ands) {
    return Word<Algebra>(algebra, sum_of_columns(algebra, std::move(columns)));
  }
  const BitColumns<Algebra> two = compress_to_two(std::move(columns));
  const auto row = [&](std::size_t k) {
    typename Word<Algebra>::Bits bits;
    for (const auto& column : two) {
      bits.push_back(k < column.size() ? column[k] : Bit<Algebra>::known(algebra, false));
    }
    return Word<Algebra>(algebra, std::move(bits));
  };
  return add(row(0), row(1), Prefer::low_depth);
}

// x * y modulo 2^width, for operands of any widths: the whole product when width = x.width() +
// y.width().
template <class Algebra>
[[nodiscard]] Word<Algebra> multiply(const Word<Algebra>& x, const Word<Algebra>& y,
                                     std::size_t width, Prefer prefer = Prefer::few_ands) {
  BitColumns<Algebra> columns(width);
  for (std::size_t i = 0; i < x.width(); ++i) {
    for (std::size_t j = 0; j < y.width() && i + j < width; ++j) {
      const auto product = x[i] & y[j];
      if (product.known() != false) columns[i + j].push_back(product);
    }
  }
  return sum_word(x.algebra(), std::move(columns), prefer);
}
// x * y modulo 2^width, for operands of the same width.
template <class Algebra>
[[nodiscard]] Word<Algebra> operator*(const Word<Algebra>& x, const Word<Algebra>& y) {
  require_equal_widths(x.width(), y.width());
  return multiply(x, y, x.width());
}

// The number of bits that are set, as a word just wide enough for x.width().
template <class Algebra>
[[nodiscard]] Word<Algebra> popcount(const Word<Algebra>& x, Prefer prefer = Prefer::few_ands) {
  BitColumns<Algebra> columns(static_cast<std::size_t>(std::bit_width(x.width())));
  if (!columns.empty()) columns.front() = x.bits();
  return sum_word(x.algebra(), std::move(columns), prefer);
}

// The coefficients of the monomials of a function whose values these are, of every bit of them
// (algebraic normal form, by the Moebius transform): value x is the XOR of those coefficients m
// with m & x == m. Requires 2^n values.
[[nodiscard]] inline std::vector<std::uint64_t> monomial_coefficients(
    std::vector<std::uint64_t> values) {
  for (std::size_t step = 1; step < values.size(); step *= 2) {
    for (std::size_t m = 0; m < values.size(); ++m) {
      if ((m & step) != 0) values[m] ^= values[m ^ step];
    }
  }
  return values;
}

// The 2^n products of some of the n bits of x: number m is that of the bits i with bit i of m. They
// take 2^n - n - 1 ANDs and are log2(n) deep. Requires n <= 20.
template <class Algebra>
[[nodiscard]] std::vector<Bit<Algebra>> monomials(const Word<Algebra>& x) {
  std::vector<Bit<Algebra>> products{Bit<Algebra>::known(x.algebra(), true)};
  for (std::size_t m = 1; m < std::size_t{1} << x.width(); ++m) {
    // The product of its halves: those of its variables that are in the lower half of them and the
    // others.
    const auto variables = static_cast<unsigned>(std::popcount(m));
    std::size_t upper = m;
    for (unsigned k = 0; k < variables / 2; ++k) upper &= upper - 1;
    products.push_back(variables == 1 ? x[static_cast<std::size_t>(std::countr_zero(m))]
                                      : products[m ^ upper] & products[upper]);
  }
  return products;
}

// table[index] modulo 2^width, for a public table of 2^index.width() entries, index.width() <= 20.
// Every output bit is a polynomial in the index bits; their monomials are shared by all output
// bits.
template <class Algebra>
[[nodiscard]] Word<Algebra> look_up(const Word<Algebra>& index,
                                    const std::vector<std::uint64_t>& table, std::size_t width) {
  require_table_size(table.size(), index.width());
  const std::vector<std::uint64_t> coefficients = monomial_coefficients(table);
  const std::vector<Bit<Algebra>> products = monomials(index);
  auto result = constant_word(index.algebra(), width, coefficients.front());
  typename Word<Algebra>::Bits bits = result.bits();
  for (std::size_t m = 1; m < table.size(); ++m) {
    for (std::size_t i = 0; i < width && i < 64; ++i) {
      if ((coefficients[m] >> i & 1) != 0) bits[i] ^= products[m];
    }
  }
  return Word<Algebra>(index.algebra(), std::move(bits));
}

}  // namespace fhe
