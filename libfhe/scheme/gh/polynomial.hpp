// SPDX-License-Identifier: Apache-2.0
// Z[x]/(x^N + 1) by Kronecker substitution. Not installed.
#pragma once

#include <cstddef>

#include "libfhe/arith/integer.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe::gh {

// A polynomial f is the integer f(X) with X = 2^(64 s): a product is then one product of integers,
// a product by x a shift, and x^N + 1 the integer X^N + 1. Slots are whole limbs, so nothing is
// shifted on the way in or out.
//
// Everything is taken for secret and overwritten. Large polynomials are split among threads.
class KroneckerRing {
 public:
  // For polynomials of `count` = N >= 1 coefficients of absolute values below 2^coefficient_bits;
  // that goes for what is packed and for every product or sum that is unpacked.
  KroneckerRing(std::size_t count, std::size_t coefficient_bits);

  // sum_i f[first + step i] X^i over i = 0 ... N-1: a polynomial for step = 1, its even or odd half
  // for step = 2. The result is signed.
  [[nodiscard]] SecretInteger pack(const SecretIntegers& f, std::size_t first,
                                   std::size_t step) const;

  // The N coefficients, modulo x^N + 1, of the polynomial of degree below 2N that `value` is.
  [[nodiscard]] SecretIntegers unpack(const Integer& value) const;

  // X value: the polynomial times x.
  [[nodiscard]] SecretInteger times_x(const Integer& value) const;

 private:
  // value + bias modulo X^N + 1, whose digits in base X are the coefficients + X/2.
  [[nodiscard]] SecretInteger biased_residue(const Integer& value) const;

  // Calls body(first, last) for consecutive parts of [0, N), on several threads.
  template <class Body>
  void for_parts(const Body& body) const;

  std::size_t count_;
  std::size_t slot_limbs_;  // s
  Integer bias_;            // sum_i X^i X/2
  Integer modulus_;         // X^N + 1
};

// Bit length of the longest coefficient.
std::size_t longest_bits(const SecretIntegers& f);

}  // namespace fhe::gh
