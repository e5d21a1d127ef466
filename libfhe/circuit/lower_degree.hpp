// SPDX-License-Identifier: Apache-2.0
// Circuits whose products have lower degree, which is what runs on ciphertexts.
#pragma once

#include "libfhe/circuit/netlist.hpp"
#include "libfhe/export.hpp"

namespace fhe {

// The same function with as many ANDs, and with constants, NOT, XOR and AND as its only gates.
// Where both factors of an AND are sums with a common term c of high degree in the inputs, one
// factor loses that term:
//
//   (p + c)(q + c) = (p + q)(p + c) + p + c.
//
// In many adders, carries have that form, (a + c)(b + c) + c: the degree, and with it the noise
// where new ciphertexts tolerate several products, doubles with every bit. The degree of
// (a + b)(a + c) + a grows by one.
[[nodiscard]] FHE_EXPORT Netlist with_lower_degree(const Netlist& netlist);

}  // namespace fhe
