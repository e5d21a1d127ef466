// What circuits are computed with: anything that has XOR, AND, NOT and constants.
//
// One description of a circuit serves for plain bits (PlainBits), for encrypted bits (Evaluator, as
// it is) and for building a Netlist (NetlistBuilder). AND is the only operation that costs: on
// ciphertexts it is a product, with which noise grows.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

namespace fhe {

// The type of a bit in an algebra: bool, Ciphertext, Wire. `Algebra` may be const-qualified.
template <class Algebra>
using BitValue =
    std::remove_cvref_t<decltype(std::declval<Algebra&>().constant(std::declval<bool>()))>;

// A type with these four operations on its bits.
template <class Algebra>
concept BitAlgebra = requires(Algebra& algebra, const BitValue<Algebra>& x) {
  { algebra.constant(true) } -> std::convertible_to<BitValue<Algebra>>;
  { algebra.xor_gate(x, x) } -> std::convertible_to<BitValue<Algebra>>;
  { algebra.and_gate(x, x) } -> std::convertible_to<BitValue<Algebra>>;
  { algebra.not_gate(x) } -> std::convertible_to<BitValue<Algebra>>;
};

// Plain bits: the reference for everything that is computed on encrypted bits.
struct PlainBits {
  // The operations of BitAlgebra on bool.
  [[nodiscard]] static bool constant(bool bit) { return bit; }
  [[nodiscard]] static bool xor_gate(bool x, bool y) { return x != y; }
  [[nodiscard]] static bool and_gate(bool x, bool y) { return x && y; }
  [[nodiscard]] static bool not_gate(bool x) { return !x; }
};

static_assert(BitAlgebra<const PlainBits>);

// x or y = not (not x and not y), with one AND. On ciphertexts, the value between two steps can be
// refreshed on its own, here and below, which a gate of a single formula would not allow.
template <BitAlgebra Algebra, class Value>
[[nodiscard]] Value or_of(Algebra& algebra, const Value& x, const Value& y) {
  return algebra.not_gate(algebra.and_gate(algebra.not_gate(x), algebra.not_gate(y)));
}

// s ? x : y = s (x + y) + y, with one AND.
template <BitAlgebra Algebra, class Value>
[[nodiscard]] Value mux_of(Algebra& algebra, const Value& s, const Value& x, const Value& y) {
  return algebra.xor_gate(algebra.and_gate(s, algebra.xor_gate(x, y)), y);
}

// The majority of three bits = (x + y)(x + z) + x, with one AND.
template <BitAlgebra Algebra, class Value>
[[nodiscard]] Value majority_of(Algebra& algebra, const Value& x, const Value& y, const Value& z) {
  return algebra.xor_gate(algebra.and_gate(algebra.xor_gate(x, y), algebra.xor_gate(x, z)), x);
}

}  // namespace fhe
