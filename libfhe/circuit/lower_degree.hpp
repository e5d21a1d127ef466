// Circuits whose products have lower degree: what runs on ciphertexts are made from.
#pragma once

#include "libfhe/circuit/netlist.hpp"

namespace fhe {

// The same function with as many ANDs, of constants, NOT, XOR and AND as its only gates. Where both
// factors of an AND are sums with a common term c, of high degree in the inputs, one factor loses
// it:
//
//   (p + c)(q + c) = (p + q)(p + c) + p + c.
//
// That is what a carry is made of, (a + c)(b + c) + c, in many adders: its degree, and with it the
// noise where new ciphertexts stand several products, doubles with every bit; that of
// (a + b)(a + c) + a grows by one.
[[nodiscard]] Netlist with_lower_degree(const Netlist& netlist);

}  // namespace fhe
