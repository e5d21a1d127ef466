// SPDX-License-Identifier: Apache-2.0
// Sums of products of points by fused multiply-adds of reals, of the narrow primes, for source
// files with vector flags that include reals_avx2.hpp or reals_avx512.hpp before (see
// simd/portable.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "accel/cpu/streams/row_parts.hpp"
#include "accel/cpu/streams/spectral_kernel.hpp"
#include "accel/cpu/three_primes/points_reals.hpp"

namespace fhe::cpu {

namespace {

constexpr int kNarrowRoom = 8;

[[gnu::always_inline]] inline Real in_all_lanes(std::uint64_t residue) {
  return to_real(all(residue));
}

// Of points that are at most p/2 each: sixteen products are at most 4p^2 < 2^100, and what is left
// of them at most 16 * 2^48 = 2^52, as SumOfProducts needs it.
using PointSum = three_primes::SumOfProducts<kNarrowRoom>;
static_assert(kSpectralTerms <= 16);

class PointReduction {
 public:
  [[gnu::always_inline]] explicit PointReduction(const three_primes::Field& field)
      : modulus_(field) {}

  // sum + products, at most p/2 as `sum` is: 11/8 p and 2^52 < 9p go into `shorten` with it.
  [[gnu::always_inline]] Real add_to(Real sum, const PointSum& products) const {
    return modulus_.shorten(add(sum, products.plus(PointSum{}, modulus_)));
  }

 private:
  three_primes::Modulus<kNarrowRoom> modulus_;
};

// Points to at most p/2.
void shorten_rows(const three_primes::Field& field, std::uint64_t* points, std::size_t rows) {
  const three_primes::Modulus<kNarrowRoom> modulus(field);
  for (std::size_t i = 0; i < rows * kLanes; i += kWidth) {
    three_primes::store_residues(points + i,
                                 modulus.shorten(three_primes::load_residues(points + i)));
  }
}

}  // namespace

}  // namespace fhe::cpu
