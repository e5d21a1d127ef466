// SPDX-License-Identifier: Apache-2.0
// How a transform of N points is cut into passes, in the plain data that kernels read.
//
// A node at some level is a polynomial modulo x^n - z, z a root of unity; its n coefficients are
// R rows of Q = n / R. One pass turns it into R children modulo x^Q - y, y^R = z:
//
//   multiply row i by c^i, where c^R = z; then a DFT of R points down each column.
//
// The root is x^N - 1, where c = 1. The last level has Q = 1 and R = 16: the leaves. The DFT leaves
// its results in bit-reversed order, so a child stands where its rows stood and nothing is moved.
// The inverse goes back from the leaves to the root; there a row is multiplied by c^-i when the
// pass of the parent reads it.
//
// Example: N = 16 with the radices 4, 2 and, for the leaves, 2 (in use: 6 to 64, 16s, and 16). w is
// the root of unity, of order N; the numbers are exponents of w, with "." for a factor of 1. Point
// i comes in at place i, which is stored at position(i).
//
//   place i                       0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15
//   root: DFTs of 4, with w^4, of the places i, i + 4, i + 8, i + 12
//   e of the node x^4 - w^(4e)    0  0  0  0  2  2  2  2  1  1  1  1  3  3  3  3
//   (1) times 1 or c = w^(2e)     .  .  .  .  .  .  4  4  .  .  2  2  .  .  6  6
//   level: DFTs of 2, sum and difference, of the places i, i + 2
//   e of the leaf x^2 - w^(2e)    0  0  4  4  2  2  6  6  1  1  5  5  3  3  7  7
//   (2) times 1 or c = w^e        .  .  .  4  .  2  .  6  .  1  .  5  .  3  .  7
//   leaves: DFTs of 2 of the places i, i + 1
//   e of the point a(w^e)         0  8  4 12  2 10  6 14  1  9  5 13  3 11  7 15
//
// In general c = w^(eQ) for a node x^n - w^(en), and its child at place k has the exponent
// e + (N / n) frequency(R, k). For N = 2^k the points are in bit-reversed order, whatever the
// radices. N = 12 = 6 * 2 has e = 0 3 1 4 2 5 below the root, then the points
// 0 6 3 9 1 7 4 10 2 8 5 11. Inside a DFT all factors are powers of two, as w^(N/64) = 2^3 and
// w^(N/3) = 2^64.
//
// Products are taken point by point, as both factors have the same order. They are cyclic, modulo
// the root x^N - 1, so there are no weights.
//
// The inverse goes up the table: DFTs of 2 of the places i, i + 1; 1 / N and the inverses of (2) at
// once, the only place of 1 / N; DFTs of 2 of i, i + 2; the inverses of (1); DFTs of 4 with w^-4,
// whose inputs have the order 0 2 1 3. Point i is at place i again.
//
// Kernels of W lanes store W leaves together, point k of leaf l at W k + l: with W = 2 the points
// would be 0 4 8 12 2 6 10 14 1 5 9 13 3 7 11 15. Spectra fit kernels of one W.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fhe::cpu::goldilocks {

inline constexpr unsigned kLeaf = 16;

// Rows that are a power of two apart would share few cache sets: 8 unused words follow every 512.
inline constexpr std::size_t kBlock = 512;
inline constexpr std::size_t kGap = 8;

// Where point `index` is stored.
[[gnu::always_inline]] constexpr std::size_t position(std::size_t index) {
  return index + index / kBlock * kGap;
}

struct Level {
  unsigned radix = 0;
  std::size_t child = 0;  // Q
  // c^i of row i, `radix` words for each node of the level; none at the root.
  const std::uint64_t* factors = nullptr;
  const std::uint64_t* inverse_factors = nullptr;

  [[nodiscard, gnu::always_inline]] constexpr std::size_t size() const { return radix * child; }
};

inline constexpr unsigned kMaxLevels = 8;

struct PassPlan {
  std::size_t points = 0;  // N
  unsigned depth = 0;      // levels above the leaves, at least 1
  Level levels[kMaxLevels];
  // c^i of the leaves, for each group of W leaves (W: lanes of the kernel) as [row][leaf].
  const std::uint64_t* leaf_factors = nullptr;
  // c^-i / N of the leaves, as [leaf][row].
  const std::uint64_t* inverse_leaf_factors = nullptr;
};

// The frequency that a DFT of 2^k or 3 * 2^k points leaves at `place`: bits reversed, after the
// factor 3, which comes first.
constexpr unsigned frequency(unsigned radix, unsigned place) {
  if (radix % 3 == 0) {
    const unsigned rest = radix / 3;
    return place / rest + 3 * frequency(rest, place % rest);
  }
  unsigned reversed = 0;
  for (; radix > 1; radix /= 2, place /= 2) reversed = 2 * reversed + place % 2;
  return reversed;
}

}  // namespace fhe::cpu::goldilocks
