// SPDX-License-Identifier: Apache-2.0
// The kernel of view_kernel.hpp, for source files with vector flags (see simd/portable.hpp).
#pragma once

#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/simd/ripple.hpp"
#include "accel/cpu/streams/view_kernel.hpp"

namespace fhe::cpu {

namespace {

// The halves of five sums of so many vectors stay in registers.
constexpr std::size_t kTileVectors = kWidth / 4;
constexpr std::size_t kTileLimbs = kTileVectors * kWidth;
static_assert(kViewTileLimbs % kTileLimbs == 0);

// What one vector of a sum carries into the next.
struct Carry {
  Vec above;        // what exceeds each lane
  unsigned ripple;  // 0 or 1
};

// The lanes below `count`.
[[gnu::always_inline]] inline Mask lanes_below(std::size_t count) {
  return mask_of((1U << (count < kWidth ? count : kWidth)) - 1);
}

// The limbs of halves that were added up. Where a limb overflows by what comes from below, or is
// full and a 1 comes, a 1 goes up.
[[gnu::always_inline]] inline Vec carried(Vec low, Vec high, Carry& carry) {
  const Vec word = add(low, shift_left<32>(high));
  const Vec above = add_where(less(word, low), shift_right<32>(high), all(1));
  const Vec below = lanes_up<1>(above, carry.above);
  const Vec limb = add(word, below);
  carry.above = above;
  const Mask ones = ripple(less(limb, below), equal(limb, all(~std::uint64_t{0})), carry.ripple);
  return add_where(ones, limb, all(1));
}

// The halves of the sums of a tile.
struct Tile {
  Vec low[kViewSums][kTileVectors];
  Vec high[kViewSums][kTileVectors];
};

// Limbs [first, first + kTileLimbs) of an element, as far as it has them.
[[gnu::always_inline]] inline void load_limbs(const ViewElement& element, std::size_t first,
                                              Vec (&limbs)[kTileVectors]) {
  const std::uint64_t* words = element.words + first;
  if (first + kTileLimbs <= element.size) {
    each<kTileVectors>([&](auto v) __attribute__((always_inline)) {
      limbs[v] = load_unaligned(words + v * kWidth);
    });
    return;
  }
  const std::size_t left = first < element.size ? element.size - first : 0;
  each<kTileVectors>([&](auto v) __attribute__((always_inline)) {
    const std::size_t before = v * kWidth;
    limbs[v] = left > before ? load_where(lanes_below(left - before), words + before) : zero();
  });
}

[[gnu::always_inline]] inline Tile add_elements(const ViewElement* elements, std::size_t count,
                                                std::size_t first) {
  Tile tile;
  each<kViewSums>([&](auto j) __attribute__((always_inline)) {
    each<kTileVectors>([&](auto v) __attribute__((always_inline)) {
      tile.low[j][v] = zero();
      tile.high[j][v] = zero();
    });
  });
  const Vec low_half = all(0xffffffff);
  for (std::size_t i = 0; i < count; ++i) {
    Vec limbs[kTileVectors];
    load_limbs(elements[i], first, limbs);
    each<kTileVectors>([&](auto v) __attribute__((always_inline)) {
      const Vec low = bit_and(limbs[v], low_half);
      const Vec high = shift_right<32>(limbs[v]);
      each<kViewSums>([&](auto j) __attribute__((always_inline)) {
        const Mask mask = mask_of_bytes(elements[i].masks[j]);
        tile.low[j][v] = add_where(mask, tile.low[j][v], low);
        tile.high[j][v] = add_where(mask, tile.high[j][v], high);
      });
    });
  }
  return tile;
}

void add_view_elements(const ViewElement* elements, std::size_t element_count, std::size_t first,
                       std::size_t count, std::uint64_t* const* words, std::uint64_t* carries) {
  Carry carry[kViewSums];
  for (Carry& one : carry) one = {zero(), 0};
  for (std::size_t at = 0; at < count; at += kTileLimbs) {
    const Tile tile = add_elements(elements, element_count, first + at);
    for (std::size_t j = 0; j < kViewSums; ++j) {
      if (words[j] == nullptr) continue;
      for (std::size_t v = 0; v < kTileVectors; ++v) {
        const Vec limbs = carried(tile.low[j][v], tile.high[j][v], carry[j]);
        store_unaligned(words[j] + at + v * kWidth, limbs);
      }
    }
  }
  for (std::size_t j = 0; j < kViewSums; ++j) {
    alignas(64) std::uint64_t above[kWidth];
    store(above, carry[j].above);
    carries[j] = above[kWidth - 1] + carry[j].ripple;
  }
}

}  // namespace

}  // namespace fhe::cpu
