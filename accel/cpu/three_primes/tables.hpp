// SPDX-License-Identifier: Apache-2.0
// What a transform of one length modulo one prime needs: the constants of the field and the powers
// of its root of unity, level by level. Plain data, read by the vector code.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fhe::cpu::three_primes {

// What the vector code takes residues for. Both kinds are words of 64 bits in memory.
enum class Form {
  integers,  // 52-bit products (residues_ifma.hpp)
  reals,     // whole numbers in double precision, fused multiply-adds (residues_reals.hpp)
};

// A constant c in the form that multiplies fast.
//
// Integers (Montgomery's reduction, with Shoup's idea of a second constant): factor = 2^52 c mod p
// and quotient = factor / p mod 2^52. Then for y < 2^52
//   y c = floor(y factor / 2^52) - floor((y quotient mod 2^52) p / 2^52)  modulo p,
// since the low halves of the two products are equal; the difference is in (-p, p).
//
// Reals, as the bits of numbers of double precision: factor = c in (-p/2, p/2) and quotient =
// factor / p, rounded. Then
//   y c = y factor - round(y quotient) p  modulo p.
struct Multiplier {
  std::uint64_t factor;
  std::uint64_t quotient;
};

struct Field {
  std::uint64_t p;
  std::uint64_t p_inverse;  // 1 / p mod 2^52
  int bits;                 // p < 2^bits
  std::uint64_t gap;        // 2^bits - p
  double reciprocal;        // 1 / p, rounded
  Form form;                // of the multipliers

  // Roots of unity w3, w4 = i, w5 of order 3, 4 and 5:
  Multiplier third;            // w3
  Multiplier fourth;           // w4
  Multiplier fourth_inverse;   // 1 / w4
  Multiplier minus_quarter;    // -1/4
  Multiplier root_five;        // (w5 + w5^4 - w5^2 - w5^3) / 4, that is sqrt(5) / 4
  Multiplier sine_two;         // s2 = (w5^2 - w5^3) / 2
  Multiplier sine_difference;  // s1 - s2, where s1 = (w5 - w5^4) / 2
  Multiplier sine_sum;         // s1 + s2
};

// One level of the transform of the blocks. Node n of radix r stands for x^(rQ) - w; it splits into
// the r polynomials x^Q - v with v^r = w. Its r - 1 multipliers are, with v the first such root,
//   radix 3 and 5:  v, v^2, ..., v^(r-1);
//   radix 4:        v^2 = sqrt(w), then v and i v, the square roots of +v^2 and -v^2.
// The order of the parts is v, w5 v, w5^2 v, ... (w3 for radix 3) and v, -v, i v, -i v for radix 4.
struct Level {
  unsigned radix;
  const Multiplier* forward;
  const Multiplier* inverse;  // of the inverses of the same numbers
};

inline constexpr unsigned kMaxTop = 6;

struct Tables {
  Field field;
  unsigned top;             // number of blocks, at most kMaxTop
  std::size_t block_limbs;  // residues in each
  std::size_t stride;       // from one block to the next, in words; a little more than block_limbs
  std::size_t level_count;  // at least 2; the last two are of radix 4
  const Level* levels;
};

inline constexpr std::size_t kPrimes = 3;

// From residues to digits: a digit D of the result, 0 <= D < limit < M = p1 p2 p3, from its
// residues. The inverse transform leaves r_k, a multiple of D mod p_k; with the shares
//   y_k = r_k scale_k = D / (M / p_k) modulo p_k:
//   D = sum of y_k (M / p_k) - q M,  q = floor(sum of y_k / p_k), since 0 <= D < M.
//
// Integers: the shares are anywhere in (0, 2 p_k), so q <= 5. Since all p_k are just below 2^bits,
// q = floor((sum of y_k + slack) / 2^bits) for slack = 2 (sum of 2^bits - p_k): that is too large
// by less than slack / 2^bits, which does no harm as D / M < 1 - slack / 2^bits (see `capacity` in
// primes.hpp).
//
// Reals: the shares are in (-5/8 p_k, 5/8 p_k), so -2 <= q <= 1, and q is the sum of y_k / p_k less
// 1/2 - 2^-13, rounded: D / M < 1 - 2^-12 leaves 2^-13 for errors on either side.
struct Recombination {
  Field field[kPrimes];
  Multiplier scale[kPrimes];
  // Integers, in digits of 52 bits, low first:
  std::uint64_t slack;
  std::uint64_t cofactor[kPrimes][2];  // M / p_k
  std::uint64_t minus[3][8];           // 2^156 - q M for q = 0, 1, ..., 5; digit 0, 1 and 2 of each
  // Reals, in digits of 50 bits, low first:
  double real_cofactor[kPrimes][2];  // M / p_k
  double real_product[3];            // M
};

}  // namespace fhe::cpu::three_primes
