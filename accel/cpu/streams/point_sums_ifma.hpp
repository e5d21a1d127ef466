// SPDX-License-Identifier: Apache-2.0
// Sums of products of points by 52-bit products, of the narrow primes, for source files with vector
// flags that include ifma.hpp or avxifma.hpp before (see simd/portable.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "accel/cpu/streams/spectral_kernel.hpp"
#include "accel/cpu/three_primes/residues_ifma.hpp"

namespace fhe::cpu {

namespace {

constexpr int kNarrowRoom = 8;

[[gnu::always_inline]] inline Vec in_all_lanes(std::uint64_t residue) {
  return all(residue);
}

// low + 2^52 high.
struct PointSum {
  [[gnu::always_inline]] void add_product(Vec x, Vec y) {
    low = add_low(low, x, y);
    high = add_high(high, x, y);
  }
  Vec low = zero();
  Vec high = zero();
};

// Reduces sums of products by 2^52, as Montgomery does. A sum is of at most kSpectralTerms halves
// below 2^52 each, so both parts are below 2^56. With m = low / p mod 2^52,
//   (low + 2^52 high) / 2^52 = high + floor(low / 2^52) - floor(m p / 2^52)  modulo p,
// which exceeds -p; p is added, and what is then below 2^57 is folded to [0, 2p).
class PointReduction {
 public:
  [[gnu::always_inline]] explicit PointReduction(const three_primes::Field& field)
      : modulus_(field), folding_(field), p_inverse_(all(field.p_inverse)) {}

  // sum + products / 2^52, in [0, 2p) as `sum` is.
  [[gnu::always_inline]] Vec add_to(Vec sum, const PointSum& products) const {
    const Vec m = add_low(zero(), products.low, p_inverse_);
    const Vec upper = add(products.high, shift_right<52>(products.low));
    const Vec quotient = folding_(sub(upper, add_high(modulus_.minus_p, m, modulus_.p)));
    return three_primes::reduce(add(sum, quotient), modulus_.p2);
  }

 private:
  three_primes::Modulus<kNarrowRoom> modulus_;
  three_primes::Folding<kNarrowRoom> folding_;
  Vec p_inverse_;
};
static_assert(kSpectralTerms <= 16);

// Products take points as they are.
void shorten_rows(const three_primes::Field& /*field*/, std::uint64_t* /*points*/,
                  std::size_t /*rows*/) {}

}  // namespace

}  // namespace fhe::cpu
