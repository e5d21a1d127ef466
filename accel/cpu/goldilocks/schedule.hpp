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

struct Schedule {
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
