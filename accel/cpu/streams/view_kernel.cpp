// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/streams/view_kernel.hpp"

#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/simd/ifma.hpp"
#include "accel/cpu/simd/ripple.hpp"

namespace fhe::cpu {

namespace {

constexpr std::size_t kTileVectors = 2;
static_assert(kViewTileLimbs == kTileVectors * kWidth);

// What one vector of a sum carries into the next.
struct Carry {
  Vec above;        // what exceeds each lane
  unsigned ripple;  // 0 or 1
};

// The lanes below `count`.
[[gnu::always_inline]] inline Mask lanes_below(std::size_t count) {
  return count >= kWidth ? Mask{0xff} : static_cast<Mask>((1U << count) - 1);
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

// Limbs [first, first + 16) of an element, as far as it has them.
[[gnu::always_inline]] inline void load_limbs(const ViewElement& element, std::size_t first,
                                              Vec (&limbs)[kTileVectors]) {
  const std::uint64_t* words = element.words + first;
  if (first + kViewTileLimbs <= element.size) {
    limbs[0] = load_unaligned(words);
    limbs[1] = load_unaligned(words + kWidth);
    return;
  }
  const std::size_t left = first < element.size ? element.size - first : 0;
  limbs[0] = load_where(lanes_below(left), words);
  limbs[1] = left > kWidth ? load_where(lanes_below(left - kWidth), words + kWidth) : zero();
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
        const Mask mask = elements[i].masks[j];
        tile.low[j][v] = add_where(mask, tile.low[j][v], low);
        tile.high[j][v] = add_where(mask, tile.high[j][v], high);
      });
    });
  }
  return tile;
}

}  // namespace

void add_view_elements(const ViewElement* elements, std::size_t element_count, std::size_t first,
                       std::size_t count, std::uint64_t* const* words, std::uint64_t* carries) {
  Carry carry[kViewSums];
  for (Carry& one : carry) one = {zero(), 0};
  for (std::size_t at = 0; at < count; at += kViewTileLimbs) {
    const Tile tile = add_elements(elements, element_count, first + at);
    for (std::size_t j = 0; j < kViewSums; ++j) {
      if (words[j] == nullptr) continue;
      const Vec low = carried(tile.low[j][0], tile.high[j][0], carry[j]);
      const Vec high = carried(tile.low[j][1], tile.high[j][1], carry[j]);
      store_unaligned(words[j] + at, low);
      store_unaligned(words[j] + at + kWidth, high);
    }
  }
  for (std::size_t j = 0; j < kViewSums; ++j) {
    alignas(64) std::uint64_t above[kWidth];
    store(above, carry[j].above);
    carries[j] = above[kWidth - 1] + carry[j].ripple;
  }
}

}  // namespace fhe::cpu
