// SPDX-License-Identifier: Apache-2.0
// What the hardware of this folder takes and gives for a product of polynomials: a modulus with a
// bit in its highest place, and coefficients in beats.
#pragma once

#include <cstddef>
#include <span>

#include "accel/polynomials/polynomial_multiplier.hpp"
#include "libfhe/arith/integer.hpp"

namespace fhe::karatsuba {

// Lanes of a beat: coefficient j + i n/4 is in lane i of beat j, and n/4 beats make an operand of n
// coefficients, or a product of two.
inline constexpr std::size_t kOperandLanes = 4;
inline constexpr std::size_t kResultLanes = 8;

// The coefficients of x in beats, one behind the other, from the lowest lane on; those that x does
// not have are 0. Requires x.size() <= n / 4 * lanes, and beats.size() so many times the bytes of a
// coefficient.
void to_beats(const Polynomial& x, std::size_t n, std::size_t lanes, std::span<std::byte> beats);

// All n / 4 * lanes coefficients.
Polynomial from_beats(std::span<const std::byte> beats, std::size_t n, std::size_t lanes);

// The modulus of exactly `coefficient_bits` bits that stands for one of at most as many, and what
// has to be done for that: modulo 2^s q the product of 2^s a and b is 2^s times that modulo q.
class NormalizedModulus {
 public:
  // Requires modulus >= 1.
  NormalizedModulus(const Integer& modulus, std::size_t coefficient_bits);

  [[nodiscard]] const Integer& modulus() const { return modulus_; }

  // floor((2^(2c) - 1) / modulus) - 2^c, c = coefficient_bits.
  [[nodiscard]] const Integer& barrett() const { return barrett_; }

  // For a coefficient of the one operand, and of the result.
  [[nodiscard]] Integer scaled(const Integer& a) const { return a << shift_; }
  [[nodiscard]] Integer unscaled(const Integer& c) const { return c >> shift_; }

 private:
  std::size_t shift_;
  Integer modulus_;
  Integer barrett_;
};

}  // namespace fhe::karatsuba
