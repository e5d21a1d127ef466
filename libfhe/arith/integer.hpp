// SPDX-License-Identifier: Apache-2.0
// The integer type of every public interface, and the few limb-level helpers around it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <gmpxx.h>

#include "libfhe/export.hpp"

namespace fhe {

// An integer of any size and sign: GMP's.
using Integer = mpz_class;

// A 64-bit digit of an Integer, least significant first.
using Limb = mp_limb_t;
// The number of its bits.
inline constexpr std::size_t kLimbBits = 64;
static_assert(sizeof(Limb) * 8 == kLimbBits && GMP_NAIL_BITS == 0, "64-bit limbs are assumed");

// Number of limbs that hold `bits` bits.
constexpr std::size_t limbs_for_bits(std::size_t bits) {
  return (bits + kLimbBits - 1) / kLimbBits;
}

// Number of bytes that hold `bits` bits.
constexpr std::size_t bytes_for_bits(std::size_t bits) {
  return (bits + 7) / 8;
}

// Bit length of |x|; 0 for x = 0.
FHE_EXPORT std::size_t bit_length(const Integer& x);

// 2^exponent.
FHE_EXPORT Integer power_of_two(std::size_t exponent);

// The limbs of |x|, without leading zeros (none for 0). Valid until x is changed or destroyed.
FHE_EXPORT std::span<const Limb> limbs_of(const Integer& x);

// The non-negative integer with these limbs; leading zero limbs are allowed.
FHE_EXPORT Integer from_limbs(std::span<const Limb> limbs);

// |x| as exactly `out.size()` bytes, least significant first. Requires that |x| fits.
FHE_EXPORT void to_bytes(const Integer& x, std::span<std::byte> out);

// The non-negative integer with these bytes, least significant first.
FHE_EXPORT Integer from_bytes(std::span<const std::byte> bytes);

// x mod 2^bits, in [0, 2^bits), also for negative x.
FHE_EXPORT Integer low_bits(const Integer& x, std::size_t bits);

// Adds `addend` into `sum` (least significant limbs aligned). Requires that the result fits in
// `sum`; sum.size() >= addend.size(); the two may not overlap.
FHE_EXPORT void add_into(std::span<Limb> sum, std::span<const Limb> addend);

}  // namespace fhe
