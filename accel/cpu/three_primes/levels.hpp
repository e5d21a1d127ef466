// SPDX-License-Identifier: Apache-2.0
// The levels of a block, forwards and backwards, and the product of the points between them.
//
// Depth first: a node longer than kLeafLimbs does its level, then its parts one after the other. A
// shorter one stays in the first-level cache with its partner of a product, and goes level by
// level.
//
// Example: the shortest length, 128 limbs (top = 1, middle = 1, depth = 2). They are N = 16 places
// of eight words, limb 8 m + j in word j of place m: eight polynomials in z = x^8, which no level
// joins. w is the root of unity, of order N. A node z^(4q) - w^e has the parts a0, a1, a2, a3 of q
// places each. With f = e / 4, pairs (x, y) become (x + c y, x - c y):
//
//   (a0, a2) and (a1, a3) with c = w^(2f); then (a0, a1) with c = w^f, (a2, a3) with w^(f + N/4)
//
//            places    e   f   exponents of the c   e of the parts: f, f + 8, f + 4, f + 12
//   level 1   0 - 15   0   0       0   0   4         0   8   4  12
//   level 2   0 - 3    0   0       0   0   4         0   8   4  12
//             4 - 7    8   2       4   2   6         2  10   6  14
//             8 - 11   4   1       2   1   5         1   9   5  13
//            12 - 15  12   3       6   3   7         3  11   7  15
//
// The points, polynomials modulo x^8 - w^e, have e = 0 8 4 12 2 10 6 14 1 9 5 13 3 11 7 15 in the
// places 0 to 15: coefficient j is the sum over m of a_(8m+j) w^(em).
//
// Radices r = 5 and then 3 come before those of 4: with f = e / r, part k is multiplied by w^(kf),
// and a DFT of r points leaves part k with the exponent f + k N / r. So N = 12 = 3 * 4 (not in use)
// would have the nodes 0, 4, 8 and the points 0 6 3 9 1 7 4 10 2 8 5 11. The radix-`top` level does
// this first, with e = 0: block k is the node e = k N / top. N = 32 with top = 2 has the points
//   0 16 8 24 4 20 12 28 2 18 10 26 6 22 14 30 and 1 17 9 25 5 21 13 29 3 19 11 27 7 23 15 31.
//
// Products are taken place by place, modulo x^8 - w^e, and times 2^-52; w^e is +- one of the last
// two c of the node. They are cyclic, modulo x^(8N) - 1, so there are no weights.
//
// The inverse begins with the last level: (a0, a1), (a2, a3), then (a0, a2), (a1, a3) become x + y
// and (x - y) / c. For r = 3 and 5 it is the inverse DFT, then part k times w^(-kf); at last the
// inverse of radix `top`. The result is N times too large: `scale` of Recombination has 1 / N, and
// the 2^52 for products.
//
// For both forms of residues: a source includes points_ifma.hpp or points_reals.hpp before.
#pragma once

#include <cstddef>

#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/three_primes/butterflies.hpp"
#include "accel/cpu/three_primes/kernels.hpp"
#include "accel/cpu/three_primes/primes.hpp"

namespace fhe::cpu::three_primes {

namespace {

constexpr std::size_t kLeafLimbs = 2048;  // 16 KB

// Vectors of 64 bytes come with registers for 16 of them and all that else is at hand in two levels
// of radix 4. With shorter ones, levels are taken one by one.
constexpr bool kTwoLevels = kWidth == 8;

// A node of the tree of a block: polynomials modulo x^length - w, at `values`.
struct Node {
  std::size_t level;
  std::size_t index;  // among all nodes of the level
  std::size_t length;

  [[nodiscard]] Node part(unsigned radix, std::size_t k) const {
    return {level + 1, index * radix + k, length / radix};
  }
};

bool is_narrow(const Tables& tables) {
  return tables.field.bits == kNarrow.bits;
}

Node whole_block(const Tables& tables, std::size_t block) {
  return {0, block, tables.block_limbs};
}

template <class Radix>
[[gnu::always_inline]] inline Radix make_radix(const Field& field, const Multiplier* c) {
  if constexpr (requires { Radix(field, c); }) {
    return Radix(field, c);
  } else {
    return Radix(c);
  }
}

// One level of one node; kColumns vectors side by side, to fill the pipelines.
template <int kRoom, class Radix, unsigned kRadix, unsigned kColumns, bool kForward>
[[gnu::always_inline]] inline void radix_node(const Modulus<kRoom>& mod, const Radix& radix,
                                              std::size_t length, Limb* values) {
  const std::size_t part = length / kRadix;
  for (std::size_t column = 0; column < part; column += kColumns * kWidth) {
    Residue a[kColumns][kRadix];
    each<kColumns>([&](auto v) __attribute__((always_inline)) {
      each<kRadix>([&](auto k) __attribute__((always_inline)) {
        a[v][k] = load_residues(values + k * part + column + v * kWidth);
      });
    });
    each<kColumns>([&](auto v) __attribute__((always_inline)) {
      if constexpr (kForward) {
        radix.forward(mod, a[v]);
      } else {
        radix.inverse(mod, a[v]);
      }
    });
    each<kColumns>([&](auto v) __attribute__((always_inline)) {
      each<kRadix>([&](auto k) __attribute__((always_inline)) {
        store_residues(values + k * part + column + v * kWidth, a[v][k]);
      });
    });
  }
}

// One level of `count` nodes.
template <int kRoom, class Radix, unsigned kRadix, unsigned kColumns, bool kForward>
[[gnu::noinline]] void radix_pass(const Field& field, const Multiplier* c, std::size_t length,
                                  std::size_t count, Limb* values) {
  const Modulus<kRoom> mod(field);
  for (std::size_t n = 0; n < count; ++n, c += kRadix - 1, values += length) {
    radix_node<kRoom, Radix, kRadix, kColumns, kForward>(mod, make_radix<Radix>(field, c), length,
                                                         values);
  }
}
// One level of `count` nodes from `node` on.
template <int kRoom, bool kForward>
void pass(const Tables& tables, const Node& node, std::size_t count, Limb* values) {
  constexpr unsigned kColumns = 2;
  const Level& level = tables.levels[node.level];
  const Multiplier* c = (kForward ? level.forward : level.inverse) + node.index * (level.radix - 1);
  switch (level.radix) {
    case 3:
      return radix_pass<kRoom, Radix3, 3, kColumns, kForward>(tables.field, c, node.length, count,
                                                              values);
    case 5:
      return radix_pass<kRoom, Radix5, 5, 1, kForward>(tables.field, c, node.length, count, values);
    default:
      return radix_pass<kRoom, Radix4, 4, kColumns, kForward>(tables.field, c, node.length, count,
                                                              values);
  }
}

// Two levels of radix 4 at once, for `count` nodes from `node` on: 16 vectors at a time, in
// registers.
template <int kRoom>
[[gnu::noinline]] void forward_two_levels(const Tables& tables, const Node& node, std::size_t count,
                                          Limb* values) {
  const Modulus<kRoom> mod(tables.field);
  const Multiplier* outer = tables.levels[node.level].forward + 3 * node.index;
  const Multiplier* inner = tables.levels[node.level + 1].forward + 12 * node.index;
  const std::size_t part = node.length / 16;
  for (std::size_t n = 0; n < count; ++n, outer += 3, inner += 12, values += node.length) {
    for (Limb* at = values; at != values + part; at += kWidth) {
      Residue a[4][4];
      const Radix4 first(outer);
      each<4>([&](auto column) __attribute__((always_inline)) {
        each<4>([&](auto k) __attribute__((always_inline)) {
          a[column][k] = load_residues(at + (4 * k + column) * part);
        });
        first.forward(mod, a[column]);
      });
      each<4>([&](auto row) __attribute__((always_inline)) {
        const Radix4 second(inner + 3 * row);
        Residue b[4] = {a[0][row], a[1][row], a[2][row], a[3][row]};
        second.forward_again(mod, b);
        each<4>([&](auto k) __attribute__((always_inline)) {
          store_residues(at + (4 * row + k) * part, b[k]);
        });
      });
    }
  }
}

template <int kRoom>
[[gnu::noinline]] void inverse_two_levels(const Tables& tables, const Node& node, std::size_t count,
                                          Limb* values) {
  const Modulus<kRoom> mod(tables.field);
  const Multiplier* outer = tables.levels[node.level].inverse + 3 * node.index;
  const Multiplier* inner = tables.levels[node.level + 1].inverse + 12 * node.index;
  const std::size_t part = node.length / 16;
  for (std::size_t n = 0; n < count; ++n, outer += 3, inner += 12, values += node.length) {
    for (Limb* at = values; at != values + part; at += kWidth) {
      Residue a[4][4];
      each<4>([&](auto row) __attribute__((always_inline)) {
        const Radix4 second(inner + 3 * row);
        Residue b[4];
        each<4>([&](auto k) __attribute__((always_inline)) {
          b[k] = load_residues(at + (4 * row + k) * part);
        });
        second.inverse(mod, b);
        each<4>([&](auto column) __attribute__((always_inline)) { a[column][row] = b[column]; });
      });
      const Radix4 first(outer);
      each<4>([&](auto column) __attribute__((always_inline)) {
        first.inverse(mod, a[column]);
        each<4>([&](auto k) __attribute__((always_inline)) {
          store_residues(at + (4 * k + column) * part, a[column][k]);
        });
      });
    }
  }
}

// Both directions of a leaf. With kTwoLevels, levels are taken in twos from the last one up; the
// levels above, of radix 3, 5 or a single 4, one by one.
template <int kRoom>
void forward_leaf(const Tables& tables, Node node, Limb* values) {
  std::size_t count = 1;
  const auto descend = [&](unsigned radix) {
    node = node.part(radix, 0);
    count *= radix;
  };
  const auto in_twos = [&] {
    return kTwoLevels && (tables.level_count - node.level) % 2 == 0 &&
           tables.levels[node.level].radix == 4;
  };
  while (node.level < tables.level_count && !in_twos()) {
    pass<kRoom, true>(tables, node, count, values);
    descend(tables.levels[node.level].radix);
  }
  while (node.level < tables.level_count) {
    forward_two_levels<kRoom>(tables, node, count, values);
    descend(4);
    descend(4);
  }
}

template <int kRoom>
void inverse_leaf(const Tables& tables, Node node, Limb* values) {
  const std::size_t top = node.level;
  std::size_t count = 1;
  const auto descend = [&](unsigned radix) {
    node = node.part(radix, 0);
    count *= radix;
  };
  const auto ascend = [&](unsigned radix) {
    node = {node.level - 1, node.index / radix, node.length * radix};
    count /= radix;
  };
  while (node.level < tables.level_count) descend(tables.levels[node.level].radix);
  while (kTwoLevels && node.level >= top + 2 && tables.levels[node.level - 2].radix == 4) {
    ascend(4);
    ascend(4);
    inverse_two_levels<kRoom>(tables, node, count, values);
  }
  while (node.level > top) {
    ascend(tables.levels[node.level - 1].radix);
    pass<kRoom, false>(tables, node, count, values);
  }
}

template <int kRoom>
void shorten_points(const Tables& tables, Limb* values) {
  const Modulus<kRoom> mod(tables.field);
  for (std::size_t i = 0; i < tables.block_limbs; i += kWidth) {
    store_residues(values + i, mod.shorten(load_residues(values + i)));
  }
}

// The points of a node: where its nodes of the last level begin, and how many there are.
struct LastLevel {
  LastLevel(const Tables& tables, Node node) {
    while (node.level + 1 < tables.level_count) {
      node = node.part(tables.levels[node.level].radix, 0);
      count *= tables.levels[node.level - 1].radix;
    }
    index = node.index;
  }
  std::size_t index = 0;
  std::size_t count = 1;
};

template <int kRoom>
void forward_node(const Tables& tables, const Node& node, Limb* values) {
  if (node.length <= kLeafLimbs) return forward_leaf<kRoom>(tables, node, values);
  pass<kRoom, true>(tables, node, 1, values);
  const unsigned radix = tables.levels[node.level].radix;
  for (std::size_t k = 0; k < radix; ++k) {
    const Node part = node.part(radix, k);
    forward_node<kRoom>(tables, part, values + k * part.length);
  }
}

template <int kRoom>
void inverse_node(const Tables& tables, const Node& node, Limb* values) {
  if (node.length <= kLeafLimbs) return inverse_leaf<kRoom>(tables, node, values);
  const unsigned radix = tables.levels[node.level].radix;
  for (std::size_t k = 0; k < radix; ++k) {
    const Node part = node.part(radix, k);
    inverse_node<kRoom>(tables, part, values + k * part.length);
  }
  pass<kRoom, false>(tables, node, 1, values);
}

// Has the points of a node at hand by the time that they are needed.
void fetch_ahead(const Limb* points, const Node& node) {
  constexpr std::size_t kLine = 8;
  for (std::size_t i = 0; i < node.length; i += kLine) {
    prefetch(points + i);
  }
}

// The second factor of a convolution, from some node on: residues to be transformed along with the
// first, points, or the first factor itself.
template <int kRoom>
struct FreshFactor {
  Limb* values;

  void pass_down(const Tables& tables, const Node& node) const {
    pass<kRoom, true>(tables, node, 1, values);
  }
  void finish(const Tables& tables, const Node& node) const {
    forward_leaf<kRoom>(tables, node, values);
  }
  void multiply(const Tables& tables, const LastLevel& last, Limb* a) const {
    multiply_points<kRoom, false>(tables, last.index, last.count, a, a, values);
  }
  [[nodiscard]] FreshFactor part(std::size_t offset) const { return {values + offset}; }
};

template <int kRoom>
struct KeptFactor {
  const Limb* points;

  void pass_down(const Tables& /*tables*/, const Node& /*node*/) const {}
  void finish(const Tables& /*tables*/, const Node& node) const { fetch_ahead(points, node); }
  void multiply(const Tables& tables, const LastLevel& last, Limb* a) const {
    multiply_points<kRoom, false>(tables, last.index, last.count, a, a, points);
  }
  [[nodiscard]] KeptFactor part(std::size_t offset) const { return {points + offset}; }
};

template <int kRoom>
struct SameFactor {
  void pass_down(const Tables& /*tables*/, const Node& /*node*/) const {}
  void finish(const Tables& /*tables*/, const Node& /*node*/) const {}
  void multiply(const Tables& tables, const LastLevel& last, Limb* a) const {
    square_points<kRoom>(tables, last.index, last.count, a);
  }
  [[nodiscard]] SameFactor part(std::size_t /*offset*/) const { return {}; }
};

template <int kRoom, template <int> class Factor>
void convolve_node(const Tables& tables, const Node& node, Limb* a, const Factor<kRoom>& b) {
  if (node.length <= kLeafLimbs) {
    b.finish(tables, node);
    forward_leaf<kRoom>(tables, node, a);
    b.multiply(tables, LastLevel(tables, node), a);
    inverse_leaf<kRoom>(tables, node, a);
    return;
  }
  pass<kRoom, true>(tables, node, 1, a);
  b.pass_down(tables, node);
  const unsigned radix = tables.levels[node.level].radix;
  for (std::size_t k = 0; k < radix; ++k) {
    const Node part = node.part(radix, k);
    convolve_node<kRoom>(tables, part, a + k * part.length, b.part(k * part.length));
  }
  pass<kRoom, false>(tables, node, 1, a);
}

// product = a b, or product += a b, for residues a, which are used up, and points b.
template <int kRoom, bool kAccumulate>
void forward_and_multiply(const Tables& tables, const Node& node, Limb* product, Limb* a,
                          const Limb* b) {
  if (node.length <= kLeafLimbs) {
    fetch_ahead(b, node);
    if constexpr (kAccumulate) fetch_ahead(product, node);
    forward_leaf<kRoom>(tables, node, a);
    const LastLevel last(tables, node);
    multiply_points<kRoom, kAccumulate>(tables, last.index, last.count, product, a, b);
    return;
  }
  pass<kRoom, true>(tables, node, 1, a);
  const unsigned radix = tables.levels[node.level].radix;
  for (std::size_t k = 0; k < radix; ++k) {
    const Node part = node.part(radix, k);
    const std::size_t at = k * part.length;
    forward_and_multiply<kRoom, kAccumulate>(tables, part, product + at, a + at, b + at);
  }
}

template <int kRoom>
void convolve_fresh(const Tables& tables, Limb* a,
                    Limb* b,  // NOLINT(readability-non-const-parameter): a FreshFactor is used up
                    std::size_t block) {
  const Node node = whole_block(tables, block);
  const std::size_t offset = block * tables.stride;
  if (a == b) {
    convolve_node<kRoom>(tables, node, a + offset, SameFactor<kRoom>{});
  } else {
    convolve_node<kRoom>(tables, node, a + offset, FreshFactor<kRoom>{b + offset});
  }
}

template <int kRoom>
void convolve_kept(const Tables& tables, Limb* a, const Limb* b, std::size_t block) {
  const std::size_t offset = block * tables.stride;
  convolve_node<kRoom>(tables, whole_block(tables, block), a + offset,
                       KeptFactor<kRoom>{b + offset});
}

template <bool kAccumulate>
void multiply_whole_block(const Tables& tables, Limb* product, const Limb* a, const Limb* b,
                          std::size_t block) {
  const LastLevel last(tables, whole_block(tables, block));
  const std::size_t offset = block * tables.stride;
  const auto multiply =
      is_narrow(tables) ? multiply_points<8, kAccumulate> : multiply_points<4, kAccumulate>;
  multiply(tables, last.index, last.count, product + offset, a + offset, b + offset);
}

void forward_block(const Tables& tables, Limb* values, std::size_t block) {
  const auto forward = is_narrow(tables) ? forward_node<8> : forward_node<4>;
  forward(tables, whole_block(tables, block), values + block * tables.stride);
}

void inverse_block(const Tables& tables, Limb* values, std::size_t block) {
  const auto inverse = is_narrow(tables) ? inverse_node<8> : inverse_node<4>;
  inverse(tables, whole_block(tables, block), values + block * tables.stride);
}

void multiply_block(const Tables& tables, Limb* product, const Limb* a, const Limb* b,
                    std::size_t block) {
  multiply_whole_block<false>(tables, product, a, b, block);
}

void add_product_block(const Tables& tables, Limb* sum, const Limb* a, const Limb* b,
                       std::size_t block) {
  multiply_whole_block<true>(tables, sum, a, b, block);
}

void multiply_with_points(const Tables& tables, Limb* product, Limb* a, const Limb* b,
                          std::size_t block) {
  const auto multiply =
      is_narrow(tables) ? forward_and_multiply<8, false> : forward_and_multiply<4, false>;
  const std::size_t offset = block * tables.stride;
  multiply(tables, whole_block(tables, block), product + offset, a + offset, b + offset);
}

void add_product_with_points(const Tables& tables, Limb* sum, Limb* a, const Limb* b,
                             std::size_t block) {
  const auto multiply =
      is_narrow(tables) ? forward_and_multiply<8, true> : forward_and_multiply<4, true>;
  const std::size_t offset = block * tables.stride;
  multiply(tables, whole_block(tables, block), sum + offset, a + offset, b + offset);
}

void shorten_block(const Tables& tables, Limb* values, std::size_t block) {
  const auto shorten = is_narrow(tables) ? shorten_points<8> : shorten_points<4>;
  shorten(tables, values + block * tables.stride);
}

void convolve_block(const Tables& tables, Limb* a, Limb* b, std::size_t block) {
  const auto convolve = is_narrow(tables) ? convolve_fresh<8> : convolve_fresh<4>;
  convolve(tables, a, b, block);
}

void convolve_with_points(const Tables& tables, Limb* a, const Limb* b, std::size_t block) {
  const auto convolve = is_narrow(tables) ? convolve_kept<8> : convolve_kept<4>;
  convolve(tables, a, b, block);
}

}  // namespace

}  // namespace fhe::cpu::three_primes
