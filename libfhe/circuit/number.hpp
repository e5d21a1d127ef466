// SPDX-License-Identifier: Apache-2.0
// Numbers for functions on encrypted data: Uint<N>, Int<N> and Bool have the operators of C++, and
// what is done with them becomes a circuit. compute() (circuit/compute.hpp) calls such a function
// once, plans the circuit and runs it on ciphertexts:
//
//   Uint<8> distance(Uint<8> a, Uint<8> b) { return max(a, b) - min(a, b); }
//
//   const Encrypted<Uint<8>> result = compute(evaluator, distance, x, y);
//
// The function has no secrets to branch on: a Bool is no condition of an `if` (that does not
// compile), select() takes both ways and keeps one result. Loops over public ranges, containers and
// other functions are plain C++, and public numbers mix with secret ones and cost nothing:
// `x + 5`, `Uint<16> sum = 0`.
//
// A number belongs to the trace in which it was made, on the thread that traces. Every operation
// throws Error(invalid_argument) outside of a trace, and for a number of another trace (one that
// was kept after its function returned), and what NetlistBuilder throws.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "libfhe/circuit/bit.hpp"
#include "libfhe/circuit/builder.hpp"
#include "libfhe/circuit/word.hpp"
#include "libfhe/export.hpp"
#include "libfhe/held.hpp"

namespace fhe {

// A function being traced: what is computed with numbers goes into its circuit. Traces of one
// thread stand in each other, the last one made is the current one. Neither copied nor moved.
class FHE_EXPORT Trace {
 public:
  // Becomes the current trace of this thread, until it is destroyed.
  Trace();
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // The current trace of this thread. Throws Error(invalid_argument) when there is none.
  [[nodiscard]] static Trace& current();

  // The circuit so far.
  [[nodiscard]] NetlistBuilder& builder() { return builder_; }
  // Differs from that of every other trace of the process.
  [[nodiscard]] std::uint64_t id() const { return id_; }
  // Throws Error(invalid_argument) unless `id` is that of the current trace.
  static void require_current(std::uint64_t id);

 private:
  NetlistBuilder builder_;
  std::uint64_t id_;
  Trace* outer_;
};

// A secret bit: the result of comparisons, the condition of select().
class FHE_EXPORT Bool {
 public:
  // A public value.
  template <std::same_as<bool> Public>
  Bool(Public value) : Bool(Bit<NetlistBuilder>::known(Trace::current().builder(), value)) {}
  Bool() : Bool(false) {}
  // A bit of the current trace.
  explicit Bool(Bit<NetlistBuilder> bit) : bit_(std::move(bit)), trace_(Trace::current().id()) {}

  // The bit in the circuit of the current trace.
  [[nodiscard]] const Bit<NetlistBuilder>& bit() const {
    Trace::require_current(trace_);
    return bit_;
  }

  // NOT, AND, OR, XOR; == is XNOR.
  [[nodiscard]] Bool operator!() const { return Bool(~bit()); }
  friend Bool operator&(const Bool& x, const Bool& y) { return Bool(x.bit() & y.bit()); }
  friend Bool operator|(const Bool& x, const Bool& y) { return Bool(x.bit() | y.bit()); }
  friend Bool operator^(const Bool& x, const Bool& y) { return Bool(x.bit() ^ y.bit()); }
  friend Bool operator==(const Bool& x, const Bool& y) { return Bool(~(x.bit() ^ y.bit())); }
  friend Bool operator!=(const Bool& x, const Bool& y) { return x ^ y; }

  // The same, with the result in the left operand.
  Bool& operator&=(const Bool& y) { return *this = *this & y; }
  Bool& operator|=(const Bool& y) { return *this = *this | y; }
  Bool& operator^=(const Bool& y) { return *this = *this ^ y; }

 private:
  Bit<NetlistBuilder> bit_;
  std::uint64_t trace_;
};

// How a Number reads its last bit.
enum class Sign : bool {
  none,  // as that of value 2^(N - 1): 0 ... 2^N - 1
  last,  // two's complement: -2^(N - 1) ... 2^(N - 1) - 1
};

// An integer of N bits. Operations take operands of one type, have results of that type, and are
// modulo 2^N; for other widths convert: Uint<16>(x) * Uint<16>(y) is the whole product of two
// Uint<8>, and costs no more than that.
template <std::size_t N, Sign S>
class Number {
  static_assert(N >= 1, "a number has at least one bit");

 public:
  // Its bits in the circuit.
  using Wires = Word<NetlistBuilder>;

  // A public number modulo 2^N; a negative one too.
  template <std::integral Public>
    requires(!std::same_as<Public, bool>)
  Number(Public value) : Number(public_word(value)) {}
  Number() : Number(0) {}
  // A number of another width or sign: without its upper bits, or with its zeros or its sign above.
  template <std::size_t M, Sign T>
    requires(M != N || T != S)
  explicit Number(const Number<M, T>& x)
      : Number(T == Sign::last ? resized_signed(x.word(), N) : x.word().resized(N)) {}
  // 0 or 1.
  explicit Number(const Bool& bit)
      : Number(Wires(Trace::current().builder(), Wires::Bits{bit.bit()}).resized(N)) {}
  // A word of the current trace. Throws Error(invalid_argument) unless it has N bits.
  explicit Number(Wires word) : word_(std::move(word)), trace_(Trace::current().id()) {
    require_equal_widths(word_.width(), N);
  }

  // The bits in the circuit of the current trace.
  [[nodiscard]] const Wires& word() const {
    Trace::require_current(trace_);
    if (word_.width() != N) throw_moved_from("the number");
    return word_;
  }

  // Bit i, bit 0 being that of value 1. Throws Error(invalid_argument) unless i < N.
  [[nodiscard]] Bool operator[](std::size_t i) const {
    require_bit(i, N);
    return Bool(word()[i]);
  }

  // Arithmetic modulo 2^N. `/` rounds as C++ does; dividing by 0 gives -1 (all bits set), and x as
  // the remainder. A division costs about N^2 ANDs, a product as many, a sum N.
  friend Number operator+(const Number& x, const Number& y) { return Number(x.word() + y.word()); }
  friend Number operator-(const Number& x, const Number& y) { return Number(x.word() - y.word()); }
  friend Number operator*(const Number& x, const Number& y) { return Number(x.word() * y.word()); }
  friend Number operator/(const Number& x, const Number& y) {
    return Number(divided(x, y).quotient);
  }
  friend Number operator%(const Number& x, const Number& y) {
    return Number(divided(x, y).remainder);
  }
  [[nodiscard]] Number operator-() const { return Number(-word()); }

  // Bit by bit.
  friend Number operator&(const Number& x, const Number& y) { return Number(x.word() & y.word()); }
  friend Number operator|(const Number& x, const Number& y) { return Number(x.word() | y.word()); }
  friend Number operator^(const Number& x, const Number& y) { return Number(x.word() ^ y.word()); }
  [[nodiscard]] Number operator~() const { return Number(~word()); }

  // Shifts by a public number of places, which are free, and by a secret one. From the left come
  // zeros, or copies of the sign. By N places or more nothing else is left.
  friend Number operator<<(const Number& x, std::size_t places) {
    return Number(x.word() << places);
  }
  friend Number operator>>(const Number& x, std::size_t places) { return x.shifted_right(places); }
  template <std::size_t M>
  friend Number operator<<(const Number& x, const Number<M, Sign::none>& places) {
    return Number(x.word() << places.word());
  }
  template <std::size_t M>
  friend Number operator>>(const Number& x, const Number<M, Sign::none>& places) {
    return x.shifted_right(places.word());
  }

  // Comparisons.
  friend Bool operator<(const Number& x, const Number& y) {
    return Bool(S == Sign::last ? less_signed(x.word(), y.word()) : less(x.word(), y.word()));
  }
  friend Bool operator>(const Number& x, const Number& y) { return y < x; }
  friend Bool operator<=(const Number& x, const Number& y) { return !(y < x); }
  friend Bool operator>=(const Number& x, const Number& y) { return !(x < y); }
  friend Bool operator==(const Number& x, const Number& y) { return Bool(x.word() == y.word()); }
  friend Bool operator!=(const Number& x, const Number& y) { return !(x == y); }

  // The smaller and the larger one.
  friend Number min(const Number& x, const Number& y) { return select(x < y, x, y); }
  friend Number max(const Number& x, const Number& y) { return select(x < y, y, x); }

  // condition ? x : y, with N ANDs.
  friend Number select(const Bool& condition, const Number& x, const Number& y) {
    return Number(mux(condition.bit(), x.word(), y.word()));
  }

  // The results in the left operand.
  Number& operator+=(const Number& y) { return *this = *this + y; }
  Number& operator-=(const Number& y) { return *this = *this - y; }
  Number& operator*=(const Number& y) { return *this = *this * y; }
  Number& operator/=(const Number& y) { return *this = *this / y; }
  Number& operator%=(const Number& y) { return *this = *this % y; }
  Number& operator&=(const Number& y) { return *this = *this & y; }
  Number& operator|=(const Number& y) { return *this = *this | y; }
  Number& operator^=(const Number& y) { return *this = *this ^ y; }
  Number& operator<<=(std::size_t places) { return *this = *this << places; }
  Number& operator>>=(std::size_t places) { return *this = *this >> places; }

 private:
  template <class Public>
  static Wires public_word(Public value) {
    const Wires low =
        constant_word(Trace::current().builder(), 64, static_cast<std::uint64_t>(value));
    return std::is_signed_v<Public> ? resized_signed(low, N) : low.resized(N);
  }

  static Division<NetlistBuilder> divided(const Number& x, const Number& y) {
    return S == Sign::last ? divide_signed(x.word(), y.word()) : divide(x.word(), y.word());
  }

  template <class Places>
  [[nodiscard]] Number shifted_right(const Places& places) const {
    return Number(S == Sign::last ? shift_right_signed(word(), places) : word() >> places);
  }

  Wires word_;
  std::uint64_t trace_;
};

// Integers without and with a sign.
template <std::size_t N>
using Uint = Number<N, Sign::none>;
template <std::size_t N>
using Int = Number<N, Sign::last>;

// condition ? x : y.
[[nodiscard]] inline Bool select(const Bool& condition, const Bool& x, const Bool& y) {
  return Bool(mux(condition.bit(), x.bit(), y.bit()));
}

// The size of a number, as one without a sign: that of the smallest one fits too.
template <std::size_t N>
[[nodiscard]] Uint<N> abs(const Int<N>& x) {
  return Uint<N>(negated_if(x.word().bits().back(), x.word()));
}

// How many bits are set.
template <std::size_t N>
[[nodiscard]] Uint<std::bit_width(N)> popcount(const Uint<N>& x) {
  return Uint<std::bit_width(N)>(popcount(x.word()));
}

// table[index] modulo 2^N, from a public table of 2^M entries, M <= 20.
template <std::size_t N, std::size_t M>
[[nodiscard]] Uint<N> look_up(const std::vector<std::uint64_t>& table, const Uint<M>& index) {
  return Uint<N>(look_up(index.word(), table, N));
}

// The element at a secret place, by a tree of choices: as many select()s as there are elements, but
// one. At a place past the end, zero.
template <class Elements, std::size_t M>
[[nodiscard]] auto element(const Elements& elements, const Uint<M>& place) {
  using Value = typename Elements::value_type;
  std::vector<Value> left(elements.begin(), elements.end());
  for (std::size_t k = 0; k < M; ++k) {
    for (std::size_t i = 0; i < left.size(); i += 2) {
      left[i / 2] = select(place[k], i + 1 < left.size() ? left[i + 1] : Value(), left[i]);
    }
    left.resize((left.size() + 1) / 2);
  }
  return left.empty() ? Value() : left.front();
}

// Puts a value at a secret place, with one comparison and one select() an element. At a place past
// the end it does nothing.
template <class Elements, std::size_t M>
void set_element(Elements& elements, const Uint<M>& place,
                 const typename Elements::value_type& value) {
  for (std::size_t i = 0; i < elements.size() && (M >= 64 || i >> M == 0); ++i) {
    elements[i] = select(place == Uint<M>(i), value, elements[i]);
  }
}

}  // namespace fhe
