// What circuits are computed with: anything that has XOR, AND, NOT and constants.
//
// One description of a circuit serves for plain bits (PlainBits), for encrypted bits (Evaluator, as
// it is) and for building a Netlist (NetlistBuilder). AND is the only operation that costs: on
// ciphertexts it is the product that noise grows with.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

namespace fhe {

// The type of a bit in an algebra: bool, Ciphertext, Wire. `Algebra` may be const-qualified.
template <class Algebra>
using BitValue =
    std::remove_cvref_t<decltype(std::declval<Algebra&>().constant(std::declval<bool>()))>;

template <class Algebra>
concept BitAlgebra = requires(Algebra& algebra, const BitValue<Algebra>& x) {
  { algebra.constant(true) } -> std::convertible_to<BitValue<Algebra>>;
  { algebra.xor_gate(x, x) } -> std::convertible_to<BitValue<Algebra>>;
  { algebra.and_gate(x, x) } -> std::convertible_to<BitValue<Algebra>>;
  { algebra.not_gate(x) } -> std::convertible_to<BitValue<Algebra>>;
};

// Plain bits: the oracle for everything that is computed on encrypted ones.
struct PlainBits {
  [[nodiscard]] static bool constant(bool bit) { return bit; }
  [[nodiscard]] static bool xor_gate(bool x, bool y) { return x != y; }
  [[nodiscard]] static bool and_gate(bool x, bool y) { return x && y; }
  [[nodiscard]] static bool not_gate(bool x) { return !x; }
};

static_assert(BitAlgebra<const PlainBits>);

// The other gates, each of at most one AND. On ciphertexts an operand between the two steps can be
// refreshed on its own, which a gate of one formula would not allow.
template <BitAlgebra Algebra, class Value>
[[nodiscard]] Value or_of(Algebra& algebra, const Value& x, const Value& y) {
  return algebra.not_gate(algebra.and_gate(algebra.not_gate(x), algebra.not_gate(y)));
}

// s ? x : y = s (x + y) + y.
template <BitAlgebra Algebra, class Value>
[[nodiscard]] Value mux_of(Algebra& algebra, const Value& s, const Value& x, const Value& y) {
  return algebra.xor_gate(algebra.and_gate(s, algebra.xor_gate(x, y)), y);
}

// The majority of three = (x + y)(x + z) + x.
template <BitAlgebra Algebra, class Value>
[[nodiscard]] Value majority_of(Algebra& algebra, const Value& x, const Value& y, const Value& z) {
  return algebra.xor_gate(algebra.and_gate(algebra.xor_gate(x, y), algebra.xor_gate(x, z)), x);
}

}  // namespace fhe
