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
#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/simd/ifma.hpp"
#include "accel/cpu/three_primes/kernels.hpp"
#include "accel/cpu/three_primes/primes.hpp"
#include "accel/cpu/three_primes/residues.hpp"

namespace fhe::cpu::three_primes {

namespace {

constexpr std::size_t kLeafLimbs = 2048;  // 16 KB
constexpr std::size_t kPoint = 8;         // words of a polynomial modulo x^8 - w

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

// One level of one node; `columns` of eight side by side, to fill the pipelines.
template <int kRoom, class Radix, unsigned kRadix, unsigned kColumns, bool kForward>
[[gnu::noinline]] void radix_pass(const Field& field, const Multiplier* c, std::size_t length,
                                  Limb* values) {
  const Modulus<kRoom> mod(field.p);
  const auto radix = make_radix<Radix>(field, c);
  const std::size_t part = length / kRadix;
  for (std::size_t column = 0; column < part; column += kColumns * kWidth) {
    Vec a[kColumns][kRadix];
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

template <int kRoom, bool kForward>
void pass(const Tables& tables, const Node& node, Limb* values) {
  const Level& level = tables.levels[node.level];
  const Multiplier* c = (kForward ? level.forward : level.inverse) + node.index * (level.radix - 1);
  switch (level.radix) {
    case 3:
      return radix_pass<kRoom, Radix3, 3, 2, kForward>(tables.field, c, node.length, values);
    case 5:
      return radix_pass<kRoom, Radix5, 5, 1, kForward>(tables.field, c, node.length, values);
    default:
      return radix_pass<kRoom, Radix4, 4, 2, kForward>(tables.field, c, node.length, values);
  }
}

// Two levels of radix 4 at once, for `count` nodes from `node` on: 16 vectors at a time, in
// registers.
template <int kRoom>
[[gnu::noinline]] void forward_two_levels(const Tables& tables, const Node& node, std::size_t count,
                                          Limb* values) {
  const Modulus<kRoom> mod(tables.field.p);
  const Multiplier* outer = tables.levels[node.level].forward + 3 * node.index;
  const Multiplier* inner = tables.levels[node.level + 1].forward + 12 * node.index;
  const std::size_t part = node.length / 16;
  for (std::size_t n = 0; n < count; ++n, outer += 3, inner += 12, values += node.length) {
    for (Limb* at = values; at != values + part; at += kWidth) {
      Vec a[4][4];
      const Radix4 first(outer);
      each<4>([&](auto column) __attribute__((always_inline)) {
        each<4>([&](auto k) __attribute__((always_inline)) {
          a[column][k] = load_residues(at + (4 * k + column) * part);
        });
        first.forward(mod, a[column]);
      });
      each<4>([&](auto row) __attribute__((always_inline)) {
        const Radix4 second(inner + 3 * row);
        Vec b[4] = {a[0][row], a[1][row], a[2][row], a[3][row]};
        second.forward(mod, b);
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
  const Modulus<kRoom> mod(tables.field.p);
  const Multiplier* outer = tables.levels[node.level].inverse + 3 * node.index;
  const Multiplier* inner = tables.levels[node.level + 1].inverse + 12 * node.index;
  const std::size_t part = node.length / 16;
  for (std::size_t n = 0; n < count; ++n, outer += 3, inner += 12, values += node.length) {
    for (Limb* at = values; at != values + part; at += kWidth) {
      Vec a[4][4];
      each<4>([&](auto row) __attribute__((always_inline)) {
        const Radix4 second(inner + 3 * row);
        Vec b[4];
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

// Both directions of a leaf. Levels are taken in twos from the last one up; the levels above, of
// radix 3, 5 or a single 4, one by one.
template <int kRoom>
void forward_leaf(const Tables& tables, Node node, Limb* values) {
  std::size_t count = 1;
  const auto descend = [&](unsigned radix) {
    node = node.part(radix, 0);
    count *= radix;
  };
  while ((tables.level_count - node.level) % 2 != 0 || tables.levels[node.level].radix != 4) {
    for (std::size_t i = 0; i < count; ++i) {
      pass<kRoom, true>(tables, {node.level, node.index + i, node.length},
                        values + i * node.length);
    }
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
  while (node.level >= top + 2 && tables.levels[node.level - 2].radix == 4) {
    ascend(4);
    ascend(4);
    inverse_two_levels<kRoom>(tables, node, count, values);
  }
  while (node.level > top) {
    ascend(tables.levels[node.level - 1].radix);
    for (std::size_t i = 0; i < count; ++i) {
      pass<kRoom, false>(tables, {node.level, node.index + i, node.length},
                         values + i * node.length);
    }
  }
}

// w b for the four polynomials of a node of the last level, in (0, 2p): by v or i v, from the other
// side for the roots -v and -i v.
template <int kRoom>
[[gnu::always_inline]] inline void multiply_by_roots(const Modulus<kRoom>& mod, const Factor& v,
                                                     const Factor& iv, const Vec* b, Vec* wb) {
  Vec m[4];
  each<4>([&](auto k) __attribute__((always_inline)) {
    m[k] = add_low(zero(), b[k], k < 2 ? v.quotient : iv.quotient);
  });
  each<4>([&](auto k) __attribute__((always_inline)) {
    wb[k] = add_high(zero(), b[k], k < 2 ? v.factor : iv.factor);
  });
  each<4>([&](auto k)
              __attribute__((always_inline)) { m[k] = add_high(mod.minus_p, m[k], mod.p); });
  each<4>([&](auto k) __attribute__((always_inline)) {
    wb[k] = k % 2 == 0 ? sub(wb[k], m[k]) : sub(add(m[k], mod.p2), wb[k]);
  });
}

// The sums low + 2^52 high < 8 * 2^52 * 8p of four polynomials, over 2^52 and modulo p, into
// `high`: with s such a sum,
//   floor(s / 2^52) - floor((s / p mod 2^52) p / 2^52) = s / 2^52 modulo p, in (-p, 64p),
// which is folded to [0, 2p). Uses `low` up.
template <int kRoom>
[[gnu::always_inline]] inline void reduce_sums(const Modulus<kRoom>& mod,
                                               const Folding<kRoom>& folding, Vec p_inverse,
                                               Vec* low, Vec* high) {
  Vec m[4];
  each<4>([&](auto k) __attribute__((always_inline)) {
    m[k] = add_low(zero(), low[k], p_inverse);
    high[k] = add(high[k], shift_right<52>(low[k]));
  });
  each<4>([&](auto k)
              __attribute__((always_inline)) { m[k] = add_high(mod.minus_p, m[k], mod.p); });
  each<4>([&](auto k) __attribute__((always_inline)) { high[k] = folding(sub(high[k], m[k])); });
}

// `count` nodes of the last level from `index` on: 4 polynomials each, modulo x^8 - w for
// w = v, -v, i v, -i v. With b_k the coefficients of b, and c_k = w b_k,
//   (a b)_j = sum over k <= j of a_k b_(j-k) + sum over k > j of a_k c_(j-k+8):
// a_k times a vector shifted by k out of b and c. The low and the high halves of the eight products
// are summed up apart, and reduced once.
template <int kRoom, bool kAccumulate>
[[gnu::noinline]] void multiply_points(const Tables& tables, std::size_t index, std::size_t count,
                                       Limb* product, const Limb* left, const Limb* right) {
  const Modulus<kRoom> mod(tables.field.p);
  const Folding<kRoom> folding(tables.field);
  const Vec p_inverse = all(tables.field.p_inverse);
  const Multiplier* c = tables.levels[tables.level_count - 1].forward + 3 * index;
  for (std::size_t n = 0; n < count; ++n) {
    const Factor v(c[1]);
    const Factor iv(c[2]);
    Vec b[4];
    Vec wb[4];
    each<4>([&](auto k)
                __attribute__((always_inline)) { b[k] = load_residues(right + k * kPoint); });
    multiply_by_roots(mod, v, iv, b, wb);
    Vec low[2][4];
    Vec high[2][4];
    each<8>([&](auto k) __attribute__((always_inline)) {
      each<4>([&](auto j) __attribute__((always_inline)) {
        const Vec a = all(left[j * kPoint + k]);
        Vec shifted = b[j];
        if constexpr (k != 0) shifted = lanes_up<k>(b[j], wb[j]);
        low[k % 2][j] = add_low(k < 2 ? zero() : low[k % 2][j], shifted, a);
        high[k % 2][j] = add_high(k < 2 ? zero() : high[k % 2][j], shifted, a);
      });
    });
    each<4>([&](auto k) __attribute__((always_inline)) {
      low[0][k] = add(low[0][k], low[1][k]);
      high[0][k] = add(high[0][k], high[1][k]);
    });
    reduce_sums(mod, folding, p_inverse, low[0], high[0]);
    each<4>([&](auto k) __attribute__((always_inline)) {
      Vec s = high[0][k];
      if constexpr (kAccumulate) s = reduce(add(s, load_residues(product + k * kPoint)), mod.p2);
      store_residues(product + k * kPoint, s);
    });
    c += 3;
    product += 4 * kPoint;
    left += 4 * kPoint;
    right += 4 * kPoint;
  }
}

// Which coefficients of a make up the square of a polynomial modulo x^8 - w, lane by lane. In lane
// j the products a_k a_l with k + l = j modulo 8 come in pairs that are equal, (k, l) and (l, k),
// but for k = l: five different ones. Those of the first three slots count twice, the others once;
// for odd j, where no k = l, the last two slots hold the same product.
struct SquareSlots {
  static constexpr std::size_t kTwice = 3;
  static constexpr std::size_t kSlots = 5;
  alignas(64) std::uint64_t left[kSlots][kWidth] = {};   // k
  alignas(64) std::uint64_t right[kSlots][kWidth] = {};  // l, plus 8 where the factor w is due
};

constexpr SquareSlots square_slots() {
  constexpr std::size_t kAway[2][SquareSlots::kSlots] = {{1, 2, 3, 0, 4}, {1, 2, 3, 0, 0}};
  SquareSlots slots;
  for (std::size_t slot = 0; slot < SquareSlots::kSlots; ++slot) {
    for (std::size_t j = 0; j < kWidth; ++j) {
      const std::size_t k = (j / 2 + kWidth - kAway[j % 2][slot]) % kWidth;
      const std::size_t l = (j + kWidth - k) % kWidth;
      slots.left[slot][j] = k;
      slots.right[slot][j] = k + l > j ? l + kWidth : l;
    }
  }
  return slots;
}

constexpr SquareSlots kSquareSlots = square_slots();

// The product of the points with themselves, by five of the eight products that multiply_points
// takes; the bounds are the same.
template <int kRoom>
[[gnu::noinline]] void square_points(const Tables& tables, std::size_t index, std::size_t count,
                                     Limb* values) {
  const Modulus<kRoom> mod(tables.field.p);
  const Folding<kRoom> folding(tables.field);
  const Vec p_inverse = all(tables.field.p_inverse);
  const Multiplier* c = tables.levels[tables.level_count - 1].forward + 3 * index;
  for (std::size_t n = 0; n < count; ++n, c += 3, values += 4 * kPoint) {
    const Factor v(c[1]);
    const Factor iv(c[2]);
    Vec a[4];
    Vec wa[4];
    each<4>([&](auto k)
                __attribute__((always_inline)) { a[k] = load_residues(values + k * kPoint); });
    multiply_by_roots(mod, v, iv, a, wa);
    Vec low[4];
    Vec high[4];
    each<SquareSlots::kSlots>([&](auto slot) __attribute__((always_inline)) {
      const Vec left = load(kSquareSlots.left[slot]);
      const Vec right = load(kSquareSlots.right[slot]);
      each<4>([&](auto k) __attribute__((always_inline)) {
        const Vec x = permute(a[k], left);
        const Vec y = _mm512_permutex2var_epi64(a[k], right, wa[k]);
        low[k] = add_low(slot == 0 ? zero() : low[k], x, y);
        high[k] = add_high(slot == 0 ? zero() : high[k], x, y);
        if constexpr (slot + 1 == SquareSlots::kTwice) {
          low[k] = add(low[k], low[k]);
          high[k] = add(high[k], high[k]);
        }
      });
    });
    reduce_sums(mod, folding, p_inverse, low, high);
    each<4>([&](auto k)
                __attribute__((always_inline)) { store_residues(values + k * kPoint, high[k]); });
  }
}

template <int kRoom>
void shorten_points(const Tables& tables, Limb* values) {
  const Modulus<kRoom> mod(tables.field.p);
  for (std::size_t i = 0; i < tables.block_limbs; i += kWidth) {
    store_residues(values + i, mod.to_two(load_residues(values + i)));
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
  pass<kRoom, true>(tables, node, values);
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
  pass<kRoom, false>(tables, node, values);
}

// Has the points of a node at hand by the time that they are needed.
void fetch_ahead(const Limb* points, const Node& node) {
  for (std::size_t i = 0; i < node.length; i += kWidth) {
    prefetch(points + i);
  }
}

// The second factor of a convolution, from some node on: residues to be transformed along with the
// first, points, or the first factor itself.
template <int kRoom>
struct FreshFactor {
  Limb* values;

  void pass_down(const Tables& tables, const Node& node) const {
    pass<kRoom, true>(tables, node, values);
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
  pass<kRoom, true>(tables, node, a);
  b.pass_down(tables, node);
  const unsigned radix = tables.levels[node.level].radix;
  for (std::size_t k = 0; k < radix; ++k) {
    const Node part = node.part(radix, k);
    convolve_node<kRoom>(tables, part, a + k * part.length, b.part(k * part.length));
  }
  pass<kRoom, false>(tables, node, a);
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
  pass<kRoom, true>(tables, node, a);
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

}  // namespace

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

}  // namespace fhe::cpu::three_primes
