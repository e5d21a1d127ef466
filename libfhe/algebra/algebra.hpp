// SPDX-License-Identifier: Apache-2.0
// Gates, over whatever a bit is: the one place where their formulas stand.
//
// A BitAlgebra has XOR, AND, NOT and constants; the other gates are made of these. One description
// of a circuit therefore serves for plain bits (PlainBits), for encrypted bits (Evaluator), for
// building a Netlist (NetlistBuilder), and inside the library for noise bounds, for the values of
// ciphertexts and for the adders of recryption. AND is the only operation that costs: on
// ciphertexts it is a product, with which noise grows.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "libfhe/export.hpp"

namespace fhe {

// The type of a bit in an algebra: bool, Ciphertext, Wire. `Algebra` may be const-qualified.
template <class Algebra>
using BitValue =
    std::remove_cvref_t<decltype(std::declval<Algebra&>().constant(std::declval<bool>()))>;

// XOR and AND alone, on bits of this type: what the majority and the choice are made of.
template <class Algebra, class Value>
concept XorAnd = requires(Algebra& algebra, const Value& x) {
  { algebra.xor_gate(x, x) } -> std::convertible_to<Value>;
  { algebra.and_gate(x, x) } -> std::convertible_to<Value>;
};

// A type with these four operations on its bits.
template <class Algebra>
concept BitAlgebra =
    XorAnd<Algebra, BitValue<Algebra>> && requires(Algebra& algebra, const BitValue<Algebra>& x) {
      { algebra.constant(true) } -> std::convertible_to<BitValue<Algebra>>;
      { algebra.not_gate(x) } -> std::convertible_to<BitValue<Algebra>>;
    };

// Plain bits: the reference for everything that is computed on encrypted bits.
struct FHE_EXPORT PlainBits {
  // The operations of BitAlgebra on bool.
  [[nodiscard]] static bool constant(bool bit) { return bit; }
  [[nodiscard]] static bool xor_gate(bool x, bool y) { return x != y; }
  [[nodiscard]] static bool and_gate(bool x, bool y) { return x && y; }
  [[nodiscard]] static bool not_gate(bool x) { return !x; }
};

static_assert(BitAlgebra<const PlainBits>);

// The other gates, each with at most one AND. This one: x + y + 1.
template <BitAlgebra Algebra, class Value>
[[nodiscard]] Value xnor_of(Algebra& algebra, const Value& x, const Value& y) {
  return algebra.not_gate(algebra.xor_gate(x, y));
}

// x y + 1.
template <BitAlgebra Algebra, class Value>
[[nodiscard]] Value nand_of(Algebra& algebra, const Value& x, const Value& y) {
  return algebra.not_gate(algebra.and_gate(x, y));
}

// By De Morgan: (x + 1)(y + 1).
template <BitAlgebra Algebra, class Value>
[[nodiscard]] Value nor_of(Algebra& algebra, const Value& x, const Value& y) {
  return algebra.and_gate(algebra.not_gate(x), algebra.not_gate(y));
}

// The same + 1.
template <BitAlgebra Algebra, class Value>
[[nodiscard]] Value or_of(Algebra& algebra, const Value& x, const Value& y) {
  return algebra.not_gate(nor_of(algebra, x, y));
}

// s ? x : y = s (x + y) + y.
template <class Algebra, class Value>
  requires XorAnd<Algebra, Value>
[[nodiscard]] Value mux_of(Algebra& algebra, const Value& s, const Value& x, const Value& y) {
  return algebra.xor_gate(algebra.and_gate(s, algebra.xor_gate(x, y)), y);
}

// The majority of x, y and z where x + y and x + z are known: (x + y)(x + z) + x.
template <class Algebra, class Value>
  requires XorAnd<Algebra, Value>
[[nodiscard]] Value majority_of_sums(Algebra& algebra, const Value& x, const Value& xy,
                                     const Value& xz) {
  return algebra.xor_gate(algebra.and_gate(xy, xz), x);
}

// The majority of three bits, by the formula above.
template <class Algebra, class Value>
  requires XorAnd<Algebra, Value>
[[nodiscard]] Value majority_of(Algebra& algebra, const Value& x, const Value& y, const Value& z) {
  const Value xy = algebra.xor_gate(x, y);
  const Value xz = algebra.xor_gate(x, z);
  return majority_of_sums(algebra, x, xy, xz);
}

}  // namespace fhe
