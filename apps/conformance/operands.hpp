// SPDX-License-Identifier: Apache-2.0
// Operands to test with: random ones from a seed, so that every run with that seed sees the same,
// and the awkward ones that a random draw does not find.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "libfhe/arith/integer.hpp"

namespace fhe::conformance {

// A deterministic source of test operands. Two with the same seed give the same operands.
class Operands {
 public:
  explicit Operands(std::uint64_t seed) : engine_(seed) {}

  // Uniform in [low, high].
  std::size_t between(std::size_t low, std::size_t high) {
    return low + static_cast<std::size_t>(engine_() % (high - low + 1));
  }

  bool coin() { return between(0, 1) == 1; }

  // Uniform in [0, 2^bits).
  Integer bits(std::size_t bits) {
    std::vector<Limb> limbs(limbs_for_bits(bits));
    for (Limb& limb : limbs) limb = engine_();
    return low_bits(from_limbs(limbs), bits);
  }

  // Uniform among the integers of exactly `bits` >= 1 bits.
  Integer exactly(std::size_t bits) { return power_of_two(bits - 1) + this->bits(bits - 1); }

  // Nearly uniform in [0, bound).
  Integer below(const Integer& bound) { return bits(bit_length(bound) + 64) % bound; }

  Integer with_random_sign(const Integer& x) { return coin() ? x : Integer(-x); }

  // `count` integers in [0, 2^bits), now and then 0 or 2^bits - 1.
  std::vector<Integer> list(std::size_t count, std::size_t bits) {
    std::vector<Integer> elements(count);
    for (Integer& element : elements) element = sometimes_extreme(bits);
    return elements;
  }

  // Long runs of equal bits: they carry and borrow where random bits do not.
  Integer runs(std::size_t bits) {
    Integer x;
    for (std::size_t filled = 0; filled < bits;) {
      const std::size_t run = between(1, 200);
      x <<= run;
      if (coin()) x += power_of_two(run) - 1;
      filled += run;
    }
    return low_bits(x, bits);
  }

 private:
  Integer sometimes_extreme(std::size_t bits) {
    const std::size_t pick = between(0, 15);
    if (pick == 0) return 0;
    if (pick == 1) return power_of_two(bits) - 1;
    return this->bits(bits);
  }

  std::mt19937_64 engine_;
};

inline Integer all_ones(std::size_t bits) {
  return power_of_two(bits) - 1;
}

}  // namespace fhe::conformance
