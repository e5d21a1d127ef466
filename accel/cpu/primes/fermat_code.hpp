// SPDX-License-Identifier: Apache-2.0
// The test of fermat.hpp, for source files with vector flags that include ifma.hpp or
// avxifma.hpp (see simd/portable.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "accel/cpu/primes/fermat.hpp"
#include "accel/cpu/simd/digit.hpp"
#include "accel/cpu/simd/each.hpp"

namespace fhe::cpu {

namespace {

constexpr std::size_t kFermatParts = kFermatLanes / kWidth;  // vectors of eight numbers

constexpr int kDigitShift = kDigitBits;

// Where the mask is set the first, else the second.
[[gnu::always_inline]] inline Vec chosen(Mask mask, Vec first, Vec second) {
  return bit_xor(second, where(mask, bit_xor(first, second)));
}

// -1/n mod 2^52 for odd n, by Newton's iteration: each step doubles the bits that are right.
[[gnu::always_inline]] inline Vec negated_inverse(Vec n) {
  Vec inverse = bit_xor(add(n, add(n, n)), all(2));  // 5 bits
  for (int right = 5; right < kDigitShift; right *= 2) {
    inverse = low_product(inverse, sub(all(2), low_product(n, inverse)));
  }
  return bit_and(sub(zero(), inverse), all(kDigitMask));
}

// Numbers in the lanes of kVectors vectors, their digits in [0, 2^52). Loops over vectors are
// the inner ones: products wait for each other in a vector, but not in several.
template <std::size_t kMaxDigits, std::size_t kVectors>
struct Numbers {
  Vec digits[kVectors][kMaxDigits];
};

// Lanes of all vectors, kWidth bits for each.
using Lanes = std::uint32_t;
constexpr Lanes kAllLanes = (Lanes{1} << kWidth) - 1;  // of one vector

// Arithmetic modulo odd n, one for each lane. Length is an Index, so that digits stay in registers,
// or a number.
template <std::size_t kMaxDigits, std::size_t kVectors, class Length>
class Moduli {
 public:
  using Values = Numbers<kMaxDigits, kVectors>;

  // With R = 2^(52 digits). The vectors of `numbers` from the one with the number `first` on.
  [[gnu::always_inline]] Moduli(const std::uint64_t* numbers, Length digits, std::size_t first)
      : digits_(digits) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      const std::size_t row = (first + v) / kFermatParts;
      const std::size_t lane = (first + v) % kFermatParts * kWidth;
      for (std::size_t i = 0; i < digits; ++i) {
        n_.digits[v][i] = load(numbers + (row * digits + i) * kFermatLanes + lane);
      }
      negated_inverse_[v] = negated_inverse(n_.digits[v][0]);
    }
  }

  // Where bit `index` of n is set.
  [[gnu::always_inline]] Lanes bit(std::size_t index) const {
    const Vec bit = all(std::uint64_t{1} << index % kDigitBits);
    Lanes lanes = 0;
    for (std::size_t v = 0; v < kVectors; ++v) {
      const Vec digit = bit_and(n_.digits[v][index / kDigitBits], bit);
      lanes |= lanes_of(equal(digit, bit)) << v * kWidth;
    }
    return lanes;
  }

  // R mod n, for n of exactly `bits` bits: 2^(bits - 1), which is below n, doubled.
  [[gnu::always_inline]] void set_one(Values& x, std::size_t bits) const {
    const Vec top = all(std::uint64_t{1} << (bits - 1) % kDigitBits);
    for (std::size_t v = 0; v < kVectors; ++v) {
      for (std::size_t i = 0; i < digits_; ++i) x.digits[v][i] = zero();
      x.digits[v][(bits - 1) / kDigitBits] = top;
    }
    for (std::size_t i = bits - 1; i < digits_ * kDigitBits; ++i) double_in(~Lanes{0}, x);
  }

  // 2 x mod n in these lanes, for x < n.
  [[gnu::always_inline]] void double_in(Lanes lanes, Values& x) const {
    for (std::size_t v = 0; v < kVectors; ++v) {
      Vec twice[kMaxDigits];
      for (std::size_t i = 0; i < digits_; ++i) twice[i] = shift_left<1>(x.digits[v][i]);
      const Vec carry = normalise(twice);
      subtract_once(v, twice, carry);
      const Mask mask = mask_of(lanes >> v * kWidth & kAllLanes);
      for (std::size_t i = 0; i < digits_; ++i) {
        x.digits[v][i] = chosen(mask, twice[i], x.digits[v][i]);
      }
    }
  }

  // x^2 / R mod n, for x < n. The digits of the sum take at most four halves of products and a
  // carry for each digit of x: they stay below 2^64.
  [[gnu::always_inline]] void square(Values& x) const {
    static_assert(5 * kMaxDigits < std::size_t{1} << (64 - kDigitBits));
    Values sum;
    for (std::size_t v = 0; v < kVectors; ++v) {
      for (std::size_t i = 0; i < digits_; ++i) sum.digits[v][i] = zero();
    }
    for (std::size_t i = 0; i < digits_; ++i) {
      for (std::size_t v = 0; v < kVectors; ++v) {
        add_row(v, sum.digits[v], x.digits[v], x.digits[v][i]);
      }
    }
    for (std::size_t v = 0; v < kVectors; ++v) {
      const Vec carry = normalise(sum.digits[v]);
      subtract_once(v, sum.digits[v], carry);
      for (std::size_t i = 0; i < digits_; ++i) x.digits[v][i] = sum.digits[v][i];
    }
  }

  // Where x and y are the same.
  [[gnu::always_inline]] Lanes same(const Values& x, const Values& y) const {
    Lanes lanes = 0;
    for (std::size_t v = 0; v < kVectors; ++v) {
      Lanes same = kAllLanes;
      for (std::size_t i = 0; i < digits_; ++i) {
        same &= lanes_of(equal(x.digits[v][i], y.digits[v][i]));
      }
      lanes |= same << v * kWidth;
    }
    return lanes;
  }

 private:
  // Brings digits below 2^52; returns what is carried out of the last one.
  [[gnu::always_inline]] Vec normalise(Vec (&digits)[kMaxDigits]) const {
    Vec carry = zero();
    for (std::size_t i = 0; i < digits_; ++i) {
      const Vec digit = add(digits[i], carry);
      digits[i] = bit_and(digit, all(kDigitMask));
      carry = shift_right<kDigitShift>(digit);
    }
    return carry;
  }

  // sum = (sum + x factor + m n) / 2^52, with the m that leaves no remainder.
  [[gnu::always_inline]] void add_row(std::size_t v, Vec (&sum)[kMaxDigits],
                                      const Vec (&x)[kMaxDigits], Vec factor) const {
    const Vec(&n)[kMaxDigits] = n_.digits[v];
    const Vec lowest = add_low(sum[0], factor, x[0]);
    const Vec m = add_low(zero(), lowest, negated_inverse_[v]);
    Vec carry = shift_right<kDigitShift>(add_low(lowest, m, n[0]));
    const std::size_t last = digits_ - 1;
    for (std::size_t i = 0; i < last; ++i) {
      const Vec high = add_high(add_high(carry, factor, x[i]), m, n[i]);
      sum[i] = add(high, add_low(add_low(sum[i + 1], factor, x[i + 1]), m, n[i + 1]));
      carry = zero();
    }
    sum[last] = add_high(add_high(carry, factor, x[last]), m, n[last]);
  }

  // x + carry R - n unless that is negative, for x + carry R < 2 n.
  [[gnu::always_inline]] void subtract_once(std::size_t v, Vec (&x)[kMaxDigits], Vec carry) const {
    Vec rest[kMaxDigits];
    Vec borrow = zero();  // 0 or -1
    for (std::size_t i = 0; i < digits_; ++i) {
      const Vec digit = add(sub(x[i], n_.digits[v][i]), borrow);
      rest[i] = bit_and(digit, all(kDigitMask));
      borrow = shift_right_signed<kDigitShift>(digit);
    }
    const Mask fits = equal(add(carry, borrow), zero());
    for (std::size_t i = 0; i < digits_; ++i) x[i] = chosen(fits, rest[i], x[i]);
  }

  Length digits_;
  Values n_;
  Vec negated_inverse_[kVectors];
};

// By square and double, from the highest bit of n - 1 on, which is that of n.
template <std::size_t kMaxDigits, class Length>
[[gnu::always_inline]] inline Lanes test_vectors(const std::uint64_t* numbers, Length digits,
                                                 std::size_t bits, std::size_t first) {
  const Moduli<kMaxDigits, fermat_vectors(kMaxDigits), Length> n(numbers, digits, first);
  typename std::remove_const_t<decltype(n)>::Values one;
  n.set_one(one, bits);
  auto x = one;
  n.double_in(~Lanes{0}, x);
  for (std::size_t bit = bits - 1; bit-- > 0;) {
    n.square(x);
    n.double_in(bit == 0 ? 0 : n.bit(bit), x);
  }
  return n.same(x, one);
}

template <std::size_t kMaxDigits, class Length>
[[gnu::always_inline]] inline Lanes test(const std::uint64_t* numbers, Length digits,
                                         std::size_t bits) {
  constexpr std::size_t kStep = fermat_vectors(kMaxDigits);
  Lanes lanes = 0;
  for (std::size_t v = 0; v < kStep * kFermatParts; v += kStep) {
    lanes |= test_vectors<kMaxDigits>(numbers, digits, bits, v) << v * kWidth;
  }
  return lanes;
}

// By the code for so many digits, from kDigits on.
template <std::size_t kDigits>
Lanes test_of_length(const std::uint64_t* numbers, std::size_t digits, std::size_t bits) {
  if constexpr (kDigits > kMaxUnrolledDigits) {
    return test<kMaxFermatDigits>(numbers, digits, bits);
  } else {
    if (digits == kDigits) return test<kDigits>(numbers, Index<kDigits>{}, bits);
    return test_of_length<kDigits + 1>(numbers, digits, bits);
  }
}

}  // namespace

}  // namespace fhe::cpu
