// SPDX-License-Identifier: Apache-2.0
// The kernel of spectral_kernel.hpp, for source files with vector flags, which include the sums of
// products of their form before (see simd/portable.hpp).
#pragma once

#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/streams/row_parts.hpp"
#include "accel/cpu/streams/spectral_kernel.hpp"

namespace fhe::cpu {

namespace {

using three_primes::load_residues;
using three_primes::store_residues;

// Sums of one part of a point in kGroups groups, of kSets sets from `set` on. Twice kGroups * kSets
// sums are under way at a time: enough to hide the latency of a product, and not more than there
// are registers.
template <std::size_t kGroups, std::size_t kSets>
[[gnu::always_inline]] inline void add_tile(const PointReduction& reduction, const PointProducts& p,
                                            std::size_t n, std::size_t part, std::size_t set) {
  PointSum point_sums[kGroups][kSets];
  const std::size_t step = weight_words(p.sets);
  const std::uint64_t* weights = p.weights + n * kSpectralTerms * step + set;
  const std::uint64_t* x = p.x + n * kLanes + part * kWidth;
  for (std::size_t i = 0; i < p.terms; ++i, x += p.x_term, weights += step) {
    three_primes::Residue weight[kSets];
    each<kSets>([&](auto c)
                    __attribute__((always_inline)) { weight[c] = in_all_lanes(weights[c]); });
    each<kGroups>([&](auto g) __attribute__((always_inline)) {
      const three_primes::Residue factor = load_residues(x + g * p.x_group);
      each<kSets>([&](auto c) __attribute__((always_inline)) {
        point_sums[g][c].add_product(factor, weight[c]);
      });
    });
  }
  each<kGroups>([&](auto g) __attribute__((always_inline)) {
    std::uint64_t* sums = p.sums + g * p.sums_group + (n * p.sets + set) * kLanes + part * kWidth;
    each<kSets>([&](auto c) __attribute__((always_inline)) {
      store_residues(sums + c * kLanes,
                     reduction.add_to(load_residues(sums + c * kLanes), point_sums[g][c]));
    });
  });
}

// Sets in a tile.
constexpr std::size_t most_sets(std::size_t groups) {
  return groups == 1 ? 4 : 2;
}

// Fetches what the next point needs while this one is computed.
void prefetch_point(const PointProducts& p, std::size_t n) {
  const std::size_t words = p.terms * weight_words(p.sets);
  const std::uint64_t* weights = p.weights + n * kSpectralTerms * weight_words(p.sets);
  for (std::size_t i = 0; i < words; i += kLanes) {
    prefetch(weights + i);
  }
}

template <std::size_t kGroups>
[[gnu::noinline]] void add_points(const three_primes::Field& field, const PointProducts& p) {
  constexpr std::size_t kSets = most_sets(kGroups);
  const PointReduction reduction(field);
  for (std::size_t n = 0; n < p.points; ++n) {
    prefetch_point(p, n + 1);
    for (std::size_t part = 0; part < kParts; ++part) {
      std::size_t set = 0;
      for (; set + kSets <= p.sets; set += kSets) {
        add_tile<kGroups, kSets>(reduction, p, n, part, set);
      }
      for (; set < p.sets; ++set) add_tile<kGroups, 1>(reduction, p, n, part, set);
    }
  }
}

constexpr void (*kAddPoints[kSpectralGroups])(const three_primes::Field&, const PointProducts&) = {
    add_points<1>, add_points<2>, add_points<3>};

void fold_rows(const three_primes::Field& field, const std::uint64_t* words, std::size_t rows,
               std::uint64_t* residues) {
  const three_primes::Folding<kNarrowRoom> folding(field);
  for (std::size_t i = 0; i < rows * kLanes; i += kWidth) {
    store_residues(residues + i, folding(load(words + i)));  // whole words, not residues yet
  }
}

void add_point_products(const three_primes::Field& field, const PointProducts& products) {
  kAddPoints[products.groups - 1](field, products);
}

void separate_lanes(const std::uint64_t* values, std::size_t rows, std::uint64_t* lanes,
                    std::size_t stride) {
  for (std::size_t row = 0; row < rows; row += kWidth) {
    for (std::size_t part = 0; part < kLanes; part += kWidth) {
      Vec square[kWidth];
      each<kWidth>([&](auto k) __attribute__((always_inline)) {
        square[k] = load(values + (row + k) * kLanes + part);
      });
      transpose(square);
      each<kWidth>([&](auto lane) __attribute__((always_inline)) {
        store(lanes + (part + lane) * stride + row, square[lane]);
      });
    }
  }
}

constexpr SpectralKernel kSpectralKernel{.fold_rows = fold_rows,
                                         .shorten_rows = shorten_rows,
                                         .add_point_products = add_point_products,
                                         .separate_lanes = separate_lanes};

}  // namespace

}  // namespace fhe::cpu
