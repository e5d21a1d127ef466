// The noise of a ciphertext as a proven upper bound, and the rule by which gates let it grow.
#pragma once

#include <compare>
#include <cstdint>

#include "libfhe/arith/integer.hpp"

namespace fhe {

// An upper bound on the absolute noise: |noise| <= 2^bits(). Kept as a whole number of 1/1024 bits
// so that it is the same on every machine; every operation rounds up.
class NoiseBound {
 public:
  static constexpr std::uint32_t kUnitsPerBit = 1024;
  // Bounds stop growing here, far past the limit of every key.
  static constexpr std::uint32_t kMaxUnits = std::uint32_t{1} << 31;

  // The bound 2^0: noise 0 or 1, as in a constant.
  constexpr NoiseBound() = default;

  // The smallest representable bound that is at least 2^bits. Requires 0 <= bits < 2^20.
  static NoiseBound from_bits(double bits);

  // A bound that is at least |value|, at most two units above the smallest.
  static NoiseBound from_magnitude(const Integer& value);

  // From the file format: `units` in 1/1024 bit; everything past kMaxUnits counts as kMaxUnits.
  static constexpr NoiseBound from_units(std::uint32_t units) { return saturated(units); }

  // The largest integer that is at most 2^(bits() + fraction_bits), or one that is larger by less
  // than one part in 2^48: never smaller.
  [[nodiscard]] Integer magnitude(std::size_t fraction_bits = 0) const;

  [[nodiscard]] constexpr std::uint32_t units() const { return units_; }
  [[nodiscard]] constexpr double bits() const { return static_cast<double>(units_) / kUnitsPerBit; }

  friend constexpr auto operator<=>(const NoiseBound&, const NoiseBound&) = default;

  // Bound on |x + y|, and on |x * y|, from bounds on |x| and |y|.
  friend NoiseBound operator+(NoiseBound x, NoiseBound y);
  friend NoiseBound operator*(NoiseBound x, NoiseBound y);

 private:
  static constexpr NoiseBound saturated(std::uint64_t units) {
    return NoiseBound(units < kMaxUnits ? static_cast<std::uint32_t>(units) : kMaxUnits);
  }

  explicit constexpr NoiseBound(std::uint32_t units) : units_(units) {}
  std::uint32_t units_ = 0;
};

// How much noise a key stands, and what a product adds beyond the sum of the bits.
struct NoiseRule {
  NoiseBound decrypt_limit;   // a ciphertext within it decrypts to the right bit
  NoiseBound refresh_limit;   // a ciphertext within it recrypts to the right bit
  NoiseBound product_growth;  // noise(x*y) <= noise(x) * noise(y) * this

  [[nodiscard]] NoiseBound sum(NoiseBound x, NoiseBound y) const { return x + y; }
  [[nodiscard]] NoiseBound product(NoiseBound x, NoiseBound y) const {
    return x * y * product_growth;
  }
};

}  // namespace fhe
