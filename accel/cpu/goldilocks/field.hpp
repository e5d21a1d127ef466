// SPDX-License-Identifier: Apache-2.0
// Residues modulo p one at a time, for tables and plans. All arguments and results are canonical.
#pragma once

#include <cstdint>

#include "accel/cpu/goldilocks/prime.hpp"

namespace fhe::cpu::goldilocks {

__extension__ using Wide = unsigned __int128;

// a b = lo + 2^64 h + 2^96 t = lo + (2^32 - 1) h - t.
constexpr std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  const Wide product = static_cast<Wide>(a) * b;
  const auto low = static_cast<std::uint64_t>(product);
  const auto high = static_cast<std::uint64_t>(product >> 64);
  const std::uint64_t top = high >> 32;
  const std::uint64_t difference = low - top + (low < top ? kPrime : 0);
  const std::uint64_t negative = kPrime - (high & kEpsilon) * kEpsilon;
  return difference - negative + (difference < negative ? kPrime : 0);
}

constexpr std::uint64_t power(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result = multiply(result, base);
    base = multiply(base, base);
  }
  return result;
}

// 1 / a for a != 0, by Fermat: a^(p - 2).
constexpr std::uint64_t inverse(std::uint64_t a) {
  return power(a, kPrime - 2);
}

// A root of unity of order `points` = t * 2^k, t = 1 or 3, 6 <= k <= 32, whose powers of order 64
// (and 3) are the powers of two that the butterflies use:
//   root^(points / 64) = 2^3,  root^(points / 3) = 2^64.
std::uint64_t root_of_unity(std::uint64_t points);

}  // namespace fhe::cpu::goldilocks
