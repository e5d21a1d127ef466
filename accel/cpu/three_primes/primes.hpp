// SPDX-License-Identifier: Apache-2.0
// The primes of the transforms: p = 1 modulo kRootOrder, just below a power of two.
//
// Two sets of three. With p < 2^49 a value below 8p still fits in the 52 bits that an IFMA product
// reads, so butterflies need few reductions; the product of the three, about 2^147, holds the
// digits of a convolution of up to 2^19 limbs. With p < 2^50 only 4p fits, and the product, about
// 2^150, serves the lengths beyond.
//
// Found by search: in each set the three largest primes p = 1 modulo kRootOrder below the power of
// two; the root is a^((p - 1) / kRootOrder) for the least a that makes its order exactly
// kRootOrder.
#pragma once

#include <array>
#include <cstdint>

#include "accel/cpu/three_primes/tables.hpp"

namespace fhe::cpu::three_primes {

__extension__ using Wide = unsigned __int128;

// x^N - 1 splits into N / 8 factors x^8 - w, so N / 8 divides the order of the group of the w.
inline constexpr std::uint64_t kRootOrder = 27 * 25 * (std::uint64_t{1} << 18);

struct Prime {
  std::uint64_t p;
  std::uint64_t root;  // of order kRootOrder
};

struct PrimeSet {
  int bits;  // p < 2^bits
  std::array<Prime, kPrimes> primes;
};

inline constexpr PrimeSet kNarrow{49,
                                  {{{562947607756801, 17569437115476},
                                    {562943891865601, 163068756198081},
                                    {562943537971201, 272718591268554}}}};
inline constexpr PrimeSet kWide{50,
                                {{{1125899639193601, 373195100708348},
                                  {1125899462246401, 1082775750571898},
                                  {1125898931404801, 688504628852422}}}};

constexpr std::uint64_t multiply_mod(std::uint64_t x, std::uint64_t y, std::uint64_t p) {
  return static_cast<std::uint64_t>(Wide{x} * y % p);
}

constexpr std::uint64_t power_mod(std::uint64_t base, std::uint64_t exponent, std::uint64_t p) {
  std::uint64_t power = 1;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) power = multiply_mod(power, base, p);
    base = multiply_mod(base, base, p);
  }
  return power;
}

constexpr std::uint64_t inverse_mod(std::uint64_t x, std::uint64_t p) {
  return power_mod(x, p - 2, p);
}

// All that the arithmetic relies on, but for primality (which a test checks).
constexpr bool is_sound(const PrimeSet& set) {
  for (const auto& [p, root] : set.primes) {
    const std::uint64_t gap = (std::uint64_t{1} << set.bits) - p;
    // A limb folds to below 2p: (x mod 2^bits) + (x >> bits) * gap < p + gap + 2^(64 - bits) gap.
    if (p >> set.bits != 0 || gap + (gap << (64 - set.bits)) > p) return false;
    if (p % kRootOrder != 1 || power_mod(root, kRootOrder, p) != 1) return false;
    for (const unsigned factor : {2U, 3U, 5U}) {
      if (power_mod(root, kRootOrder / factor, p) == 1) return false;
    }
  }
  return true;
}
static_assert(is_sound(kNarrow) && is_sound(kWide));

// Digits of a result below capacity * 2^128 are recovered. That is the product M of the primes,
// less one part in 4096: the distance from M that the recombination needs (see Recombination).
constexpr std::uint64_t capacity(const PrimeSet& set) {
  const Wide two = Wide{set.primes[0].p} * set.primes[1].p;
  const auto all = static_cast<std::uint64_t>((two >> 50) * set.primes[2].p >> 78);
  return all - all / 4096 - 1;
}

// What the recombination adds to a sum of shares: 2 (sum of 2^bits - p).
constexpr std::uint64_t recombination_slack(const PrimeSet& set) {
  std::uint64_t slack = 0;
  for (const auto& [p, root] : set.primes) slack += 2 * ((std::uint64_t{1} << set.bits) - p);
  return slack;
}
static_assert(recombination_slack(kNarrow) < (std::uint64_t{1} << kNarrow.bits) / 4096);
static_assert(recombination_slack(kWide) < (std::uint64_t{1} << kWide.bits) / 4096);

}  // namespace fhe::cpu::three_primes
