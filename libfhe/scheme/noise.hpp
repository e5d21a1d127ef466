// SPDX-License-Identifier: Apache-2.0
// The noise of a ciphertext as an upper bound, and the rule by which it grows in gates.
#pragma once

#include <compare>
#include <cstdint>

#include "libfhe/arith/integer.hpp"
#include "libfhe/export.hpp"

namespace fhe {

// An upper bound on the absolute noise: |noise| <= 2^bits(). Kept as a whole number of 1/1024 bit,
// so that it is the same on every machine; every operation rounds up.
class FHE_EXPORT NoiseBound {
 public:
  // The unit is 1/1024 bit.
  static constexpr std::uint32_t kUnitsPerBit = 1024;
  // Bounds do not grow beyond this, which is far above the limit of every key.
  static constexpr std::uint32_t kMaxUnits = std::uint32_t{1} << 31;
  // Bytes of the units of a bound in a file.
  static constexpr std::uint64_t kFileBytes = sizeof(std::uint32_t);

  // The bound 2^0: noise 0 or 1, as in a constant.
  constexpr NoiseBound() = default;

  // The smallest representable bound that is at least 2^bits. Requires 0 <= bits < 2^20.
  static NoiseBound from_bits(double bits);

  // A bound that is at least |value|, at most two units above the smallest.
  static NoiseBound from_magnitude(const Integer& value);

  // From a number of units, as files hold it; anything above kMaxUnits counts as kMaxUnits.
  static constexpr NoiseBound from_units(std::uint32_t units) { return saturated(units); }

  // The largest integer that is at most 2^(bits() + fraction_bits), or one that exceeds it by less
  // than one part in 2^48; never a smaller one.
  [[nodiscard]] Integer magnitude(std::size_t fraction_bits = 0) const;

  // log2 of the bound: in units, and in bits.
  [[nodiscard]] constexpr std::uint32_t units() const { return units_; }
  [[nodiscard]] constexpr double bits() const { return static_cast<double>(units_) / kUnitsPerBit; }

  friend constexpr auto operator<=>(const NoiseBound&, const NoiseBound&) = default;

  // The bounds on |x + y| and on |x * y| that follow from bounds on |x| and |y|.
  friend FHE_EXPORT NoiseBound operator+(NoiseBound x, NoiseBound y);
  friend FHE_EXPORT NoiseBound operator*(NoiseBound x, NoiseBound y);

 private:
  static constexpr NoiseBound saturated(std::uint64_t units) {
    return NoiseBound(units < kMaxUnits ? static_cast<std::uint32_t>(units) : kMaxUnits);
  }

  explicit constexpr NoiseBound(std::uint32_t units) : units_(units) {}
  std::uint32_t units_ = 0;
};

// How much noise a key tolerates, and what a product adds beyond the sum of the bits.
struct FHE_EXPORT NoiseRule {
  NoiseBound decrypt_limit;   // a ciphertext within this bound decrypts to the right bit
  NoiseBound refresh_limit;   // a ciphertext within this bound recrypts to the right bit
  NoiseBound product_growth;  // noise(x*y) <= noise(x) * noise(y) * this

  // The bound of a sum and of a product of ciphertexts with these bounds.
  [[nodiscard]] NoiseBound sum(NoiseBound x, NoiseBound y) const { return x + y; }
  [[nodiscard]] NoiseBound product(NoiseBound x, NoiseBound y) const {
    return x * y * product_growth;
  }

  friend bool operator==(const NoiseRule&, const NoiseRule&) = default;
};

}  // namespace fhe
