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
#include <type_traits>
#include <utility>

#include "libfhe/algebra/algebra.hpp"

namespace fhe {

// Names of implementation.
namespace bit_details {

// What a Bit keeps of an algebra: a value, unless the algebra names a type Held, which is made of a
// value, converts to one, and which its gates take and give as well.
template <class Algebra, class = void>
struct HeldOf {
  using Type = BitValue<Algebra>;
};
template <class Algebra>
struct HeldOf<Algebra, std::void_t<typename Algebra::Held>> {
  using Type = typename Algebra::Held;
};

}  // namespace bit_details

// A bit with the operators of C++. Keeps a pointer to its algebra, which must outlive it. The
// operands of an operation belong to the same algebra object. A value; copies of a bit of an
// Evaluator share its ciphertext, and what that was refreshed to (gate/shared_ciphertext.hpp).
// Operations throw what the algebra throws.
template <BitAlgebra Algebra>
class Bit {
 public:
  // What the algebra computes with.
  using Value = BitValue<Algebra>;

  // A bit that is not known.
  Bit(Algebra& algebra, Value value) : algebra_(&algebra), held_(Held(std::move(value))) {}

  // A public bit.
  static Bit known(Algebra& algebra, bool bit) { return Bit(&algebra, Known{bit}); }

  // The public value, if the bit is known.
  [[nodiscard]] std::optional<bool> known() const {
    return held_ ? std::nullopt : std::optional(known_);
  }

  // The bit in its algebra, where a known one becomes a constant.
  [[nodiscard]] Value value() const {
    return held_ ? static_cast<Value>(*held_) : algebra_->constant(known_);
  }

  // The algebra.
  [[nodiscard]] Algebra& algebra() const { return *algebra_; }

  // NOT.
  [[nodiscard]] Bit operator~() const {
    return held_ ? Bit(algebra_, algebra_->not_gate(*held_)) : Bit(algebra_, Known{!known_});
  }

  // XOR.
  friend Bit operator^(const Bit& x, const Bit& y) {
    if (!x.held_) return x.known_ ? ~y : y;
    if (!y.held_) return y.known_ ? ~x : x;
    return Bit(x.algebra_, x.algebra_->xor_gate(*x.held_, *y.held_));
  }

  // AND.
  friend Bit operator&(const Bit& x, const Bit& y) {
    if (!x.held_) return x.known_ ? y : x;
    if (!y.held_) return y.known_ ? x : y;
    return Bit(x.algebra_, x.algebra_->and_gate(*x.held_, *y.held_));
  }

  // OR, with one AND.
  friend Bit operator|(const Bit& x, const Bit& y) { return ~(~x & ~y); }

  // The same, with the result in the left operand.
  Bit& operator^=(const Bit& y) { return *this = *this ^ y; }
  Bit& operator&=(const Bit& y) { return *this = *this & y; }
  Bit& operator|=(const Bit& y) { return *this = *this | y; }

  // s ? x : y, with at most one AND.
  [[nodiscard]] friend Bit mux(const Bit& s, const Bit& x, const Bit& y) {
    if (!s.held_) return s.known_ ? x : y;
    if (!x.held_) return x.known_ ? s | y : ~s & y;
    if (!y.held_) return y.known_ ? ~s | x : s & x;
    return Bit(s.algebra_, mux_of(*s.algebra_, *s.held_, *x.held_, *y.held_));
  }

  // Whether at least two of three bits are set, with at most one AND.
  [[nodiscard]] friend Bit majority(const Bit& x, const Bit& y, const Bit& z) {
    if (!x.held_) return x.known_ ? y | z : y & z;
    if (!y.held_) return y.known_ ? x | z : x & z;
    if (!z.held_) return z.known_ ? x | y : x & y;
    return Bit(x.algebra_, majority_of(*x.algebra_, *x.held_, *y.held_, *z.held_));
  }

 private:
  using Held = typename bit_details::HeldOf<Algebra>::Type;

  // A struct, because a wire or a plain bit is a number or a bool as well.
  struct Known {
    bool bit;
  };

  Bit(Algebra* algebra, Known known) : algebra_(algebra), known_(known.bit) {}
  Bit(Algebra* algebra, Held held) : algebra_(algebra), held_(std::move(held)) {}

  Algebra* algebra_;
  std::optional<Held> held_;  // none: the bit is known_
  bool known_ = false;
};

}  // namespace fhe
