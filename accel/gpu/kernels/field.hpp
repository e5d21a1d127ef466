// SPDX-License-Identifier: Apache-2.0
// Residues modulo p = 2^64 - 2^32 + 1, in [0, p). Powers of two are roots of unity: 2^96 = -1, so
// that the butterflies of up to 64 points need shifts alone.
#pragma once

#include "accel/gpu/kernels/language.hpp"

namespace fhe::gpu {

constexpr Word kEpsilon = 0xffff'ffff;  // 2^64 = epsilon modulo p
constexpr Word kPrime = ~Word{0} - kEpsilon + 1;

FHE_KERNEL Word field_add(Word a, Word b) {
  const Word sum = a + b;
  return sum - (sum < a || sum >= kPrime ? kPrime : 0);
}

FHE_KERNEL Word field_subtract(Word a, Word b) {
  return a - b + (a < b ? kPrime : 0);
}

// low + 2^64 high for any words: with high = h + 2^32 t that is low + epsilon h - t, since 2^96 =
// -1.
FHE_KERNEL Word field_reduce(Word low, Word high) {
  const Word top = high >> 32;
  Word difference = low - top;
  if (low < top) difference -= kEpsilon;  // + p, modulo 2^64
  const Word middle = (high & kEpsilon) * kEpsilon;
  Word sum = difference + middle;
  if (sum < middle) sum += kEpsilon;  // 2^64 = epsilon; below 2^64, since middle < p
  return sum - (sum >= kPrime ? kPrime : 0);
}

FHE_KERNEL Word field_multiply(Word a, Word b) {
  return field_reduce(a * b, high_product(a, b));
}

// a 2^shift for shift < 192.
FHE_KERNEL Word field_shift(Word a, unsigned shift) {
  const bool is_negative = shift >= 96;
  if (is_negative) shift -= 96;
  if (shift >= 64) {
    a = field_reduce(a << 32, a >> 32);
    shift -= 32;
  }
  if (shift > 0) a = field_reduce(a << shift, a >> (kWordBits - shift));
  return is_negative && a != 0 ? kPrime - a : a;
}

}  // namespace fhe::gpu
