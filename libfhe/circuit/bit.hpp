// SPDX-License-Identifier: Apache-2.0
// A bit of any algebra that reads like a bool, and costs nothing where it is public.
//
//   const Bit<const Evaluator> a(evaluator, ciphertext_a), b(evaluator, ciphertext_b);
//   const Bit<const Evaluator> either = (a & ~b) | (b & ~a);
//
// A bit may be known, that is, public. Operations on known bits need no gate, so constants in a
// formula cost neither a gate nor a recryption.
#pragma once

#include <optional>
#include <utility>

#include "libfhe/algebra/algebra.hpp"

namespace fhe {

// A bit with the operators of C++. Keeps a pointer to its algebra, which must outlive it. The
// operands of an operation belong to the same algebra object. A value; copying copies what it holds
// (such as a whole ciphertext). Operations throw what the algebra throws.
template <BitAlgebra Algebra>
class Bit {
 public:
  // What the algebra computes with.
  using Value = BitValue<Algebra>;

  // A bit that is not known.
  Bit(Algebra& algebra, Value value) : algebra_(&algebra), value_(std::move(value)) {}

  // A public bit.
  static Bit known(Algebra& algebra, bool bit) { return Bit(&algebra, bit); }

  // The public value, if the bit is known.
  [[nodiscard]] std::optional<bool> known() const {
    return value_ ? std::nullopt : std::optional(known_);
  }

  // The bit in its algebra, where a known one becomes a constant.
  [[nodiscard]] Value value() const { return value_ ? *value_ : algebra_->constant(known_); }

  // The algebra.
  [[nodiscard]] Algebra& algebra() const { return *algebra_; }

  // NOT.
  [[nodiscard]] Bit operator~() const {
    return value_ ? Bit(*algebra_, algebra_->not_gate(*value_)) : Bit(algebra_, !known_);
  }

  // XOR.
  friend Bit operator^(const Bit& x, const Bit& y) {
    if (!x.value_) return x.known_ ? ~y : y;
    if (!y.value_) return y.known_ ? ~x : x;
    return Bit(*x.algebra_, x.algebra_->xor_gate(*x.value_, *y.value_));
  }

  // AND.
  friend Bit operator&(const Bit& x, const Bit& y) {
    if (!x.value_) return x.known_ ? y : x;
    if (!y.value_) return y.known_ ? x : y;
    return Bit(*x.algebra_, x.algebra_->and_gate(*x.value_, *y.value_));
  }

  // OR, with one AND.
  friend Bit operator|(const Bit& x, const Bit& y) { return ~(~x & ~y); }

  // The same, with the result in the left operand.
  Bit& operator^=(const Bit& y) { return *this = *this ^ y; }
  Bit& operator&=(const Bit& y) { return *this = *this & y; }
  Bit& operator|=(const Bit& y) { return *this = *this | y; }

 private:
  Bit(Algebra* algebra, bool known) : algebra_(algebra), known_(known) {}

  Algebra* algebra_;
  std::optional<Value> value_;  // none: the bit is known_
  bool known_ = false;
};

// s ? x : y, with at most one AND.
template <class Algebra>
[[nodiscard]] Bit<Algebra> mux(const Bit<Algebra>& s, const Bit<Algebra>& x,
                               const Bit<Algebra>& y) {
  if (s.known()) return *s.known() ? x : y;
  if (x.known()) return *x.known() ? s | y : ~s & y;
  if (y.known()) return *y.known() ? ~s | x : s & x;
  return Bit<Algebra>(s.algebra(), mux_of(s.algebra(), s.value(), x.value(), y.value()));
}

// Whether at least two of three bits are set, with at most one AND.
template <class Algebra>
[[nodiscard]] Bit<Algebra> majority(const Bit<Algebra>& x, const Bit<Algebra>& y,
                                    const Bit<Algebra>& z) {
  if (x.known()) return *x.known() ? y | z : y & z;
  if (y.known()) return *y.known() ? x | z : x & z;
  if (z.known()) return *z.known() ? x | y : x & y;
  return Bit<Algebra>(x.algebra(), majority_of(x.algebra(), x.value(), y.value(), z.value()));
}

}  // namespace fhe
