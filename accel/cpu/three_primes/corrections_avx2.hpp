// SPDX-License-Identifier: Apache-2.0
// What is taken off a sum of shares: q M (see Recombination), in vectors of four lanes.
#pragma once

#include "accel/cpu/simd/avxifma.hpp"
#include "accel/cpu/three_primes/tables.hpp"

namespace fhe::cpu::three_primes {

namespace {

// q (2^156 - M), modulo 2^156, is computed: it takes no more instructions than to look up lanes.
class Correction {
 public:
  [[gnu::always_inline]] explicit Correction(const Recombination& r)
      : minus_{all(r.minus[0][1]), all(r.minus[1][1]), all(r.minus[2][1])} {}

  [[gnu::always_inline]] void add_to(Vec q, Vec& d0, Vec& d1, Vec& d2) const {
    d0 = add_low(d0, q, minus_[0]);
    d1 = add_low(add_high(d1, q, minus_[0]), q, minus_[1]);
    d2 = add_low(add_high(d2, q, minus_[1]), q, minus_[2]);
  }

 private:
  Vec minus_[3];
};

}  // namespace

}  // namespace fhe::cpu::three_primes
