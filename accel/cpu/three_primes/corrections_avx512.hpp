// SPDX-License-Identifier: Apache-2.0
// What is taken off a sum of shares: q M (see Recombination), in vectors of eight lanes.
#pragma once

#include "accel/cpu/simd/ifma.hpp"
#include "accel/cpu/three_primes/tables.hpp"

namespace fhe::cpu::three_primes {

namespace {

// The digits of 2^156 - q M are looked up.
class Correction {
 public:
  [[gnu::always_inline]] explicit Correction(const Recombination& r)
      : minus_{load_unaligned(r.minus[0]), load_unaligned(r.minus[1]), load_unaligned(r.minus[2])} {
  }

  [[gnu::always_inline]] void add_to(Vec q, Vec& d0, Vec& d1, Vec& d2) const {
    d0 = add(d0, permute(minus_[0], q));
    d1 = add(d1, permute(minus_[1], q));
    d2 = add(d2, permute(minus_[2], q));
  }

 private:
  Vec minus_[3];
};

}  // namespace

}  // namespace fhe::cpu::three_primes
