// SPDX-License-Identifier: Apache-2.0
// The passes of pass_plan.hpp, and the kernels made of them, for any lanes (see residues.hpp).
//
// All levels but the root have the radix 16 (butterflies.hpp). The root's may be another, R = A *
// B: DFTs of A points down the rows i, i + B, i + 2 B, ..., a power of two to each of the results,
// and DFTs of B points, with A = 3 where 3 divides R and else 8. All roots of order R are powers of
// 2^(192 / R).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "accel/cpu/bounds.hpp"
#include "accel/cpu/goldilocks/butterflies.hpp"
#include "accel/cpu/goldilocks/pass_plan.hpp"
#include "accel/cpu/goldilocks/prime.hpp"
#include "accel/cpu/goldilocks/residues.hpp"

namespace fhe::cpu::goldilocks {

namespace {

inline constexpr unsigned kRadix = 16;  // of all levels but the root

template <int R>
inline constexpr int kFirstRadix = R % 3 == 0 ? 3 : std::min(R, 8);

// The inverse factor of the child at `place`: one for all columns, or one for each where the
// children are leaves.
template <bool kLeaves>
[[gnu::always_inline]] inline Factor child_factor(const std::uint64_t* factors, std::size_t place) {
  return kLeaves ? load_factor(factors + place * kLeaf)
                 : broadcast_factor(factors + place * kRadix);
}

// One column of kWidth lanes at the root, whose rows have `child` points; R != 16.
template <int R, bool kHalf>
struct RootColumn {
  static constexpr int A = kFirstRadix<R>;
  static constexpr int B = R / A;
  static constexpr int kLive = kHalf ? R / 2 : R;  // rows that are not zero

  [[gnu::always_inline]] static Vec load_row(const std::uint64_t* points, std::size_t child,
                                             int row) {
    if (row >= kLive) return zero();
    return load(points + position(static_cast<std::size_t>(row) * child));
  }
  [[gnu::always_inline]] static void store_row(std::uint64_t* points, std::size_t child, int row,
                                               Vec x) {
    store(points + position(static_cast<std::size_t>(row) * child), x);
  }

  // root^(i frequency(place)) as an exponent of 2.
  static constexpr int twist(int i, unsigned place) {
    return kOrderOfTwo / R * i * static_cast<int>(frequency(A, place));
  }

  // DFT of the rows i, i + B, ...; result `place` times root^(i frequency(place)).
  template <int i, int... r>
  [[gnu::always_inline]] static void first_dft(Vec* between, const std::uint64_t* points,
                                               std::size_t child,
                                               std::integer_sequence<int, r...>) {
    Vec x[std::size_t{A}];
    ((x[r] = load_row(points, child, i + B * r)), ...);
    if constexpr (A == 3) {
      dft3(x);
    } else if constexpr (kHalf) {
      dft_of_half<A>(x, std::make_integer_sequence<int, A / 2>());
    } else {
      dft<A>(x);
    }
    ((between[r * B + i] = times_two_to<twist(i, r)>(x[r])), ...);
  }

  template <int... i>
  [[gnu::always_inline]] static void forward(std::uint64_t* points, std::size_t child,
                                             std::integer_sequence<int, i...>) {
    Vec between[std::size_t{R}];
    (first_dft<i>(between, points, child, std::make_integer_sequence<int, A>()), ...);
    for (int s = 0; s < R; s += B) {
      Vec x[std::size_t{B}];
      for (int u = 0; u < B; ++u) x[u] = between[s + u];
      dft<B>(x);
      for (int u = 0; u < B; ++u) store_row(points, child, s + u, x[u]);
    }
  }

  // DFT-B of the results of place s, back; result i times root^-(i frequency(s)).
  template <int s, bool kLeaves, int... i>
  [[gnu::always_inline]] static void first_inverse(Vec* between, const std::uint64_t* points,
                                                   std::size_t child, const std::uint64_t* factors,
                                                   std::integer_sequence<int, i...>) {
    Vec x[std::size_t{B}];
    ((x[i] = multiply_mod(load(points + position(std::size_t{s * B + i} * child)),
                          child_factor<kLeaves>(factors, std::size_t{s * B + i}))),
     ...);
    inverse_dft<B, (s > 0)>(x);
    ((between[s * B + i] = times_two_to<-twist(i, s)>(x[i])), ...);
  }

  template <bool kLeaves, int... s>
  [[gnu::always_inline]] static void inverse(std::uint64_t* points, std::size_t child,
                                             const std::uint64_t* factors,
                                             std::integer_sequence<int, s...>) {
    Vec between[std::size_t{R}];
    (first_inverse<s, kLeaves>(between, points, child, factors,
                               std::make_integer_sequence<int, B>()),
     ...);
    for (int u = 0; u < B; ++u) {
      Vec x[std::size_t{A}];
      for (int r = 0; r < A; ++r) x[r] = between[r * B + u];
      if constexpr (A == 3) {
        inverse_dft3(x);
      } else {
        inverse_dft<A, false>(x);
      }
      for (int r = 0; r < A; ++r) store_row(points, child, u + B * r, x[r]);
    }
  }
};

template <int R, bool kHalf>
[[gnu::noinline]] void forward_columns(std::uint64_t* points, std::size_t child,
                                       std::size_t count) {
  for (std::size_t j = 0; j < count; j += kWidth) {
    if constexpr (R == 16) {
      dft16(
          [&](unsigned row) __attribute__((always_inline)) {
            if (kHalf && row >= R / 2) return Gaussian{zero(), zero()};
            return Gaussian::of_word(load(points + position(row * child) + j));
          },
          [&](unsigned place, Vec word) __attribute__((always_inline)) {
            store(points + position(place * child) + j, word);
          });
    } else {
      using C = RootColumn<R, kHalf>;
      C::forward(points + j, child, std::make_integer_sequence<int, C::B>());
    }
  }
}

// One row of the children, `count` columns of it: all of them have the same factors, or leaves.
template <int R, bool kLeaves, bool kRoot>
[[gnu::noinline]] void inverse_columns(std::uint64_t* points, std::size_t child, std::size_t count,
                                       const std::uint64_t* factors) {
  for (std::size_t j = 0; j < count; j += kWidth) {
    const std::uint64_t* column_factors = kLeaves ? factors + j : factors;
    if constexpr (R == 16) {
      inverse_dft16(
          [&](unsigned place) __attribute__((always_inline)) {
            return Gaussian::of_product(full_product(load(points + position(place * child) + j),
                                                     child_factor<kLeaves>(column_factors, place)));
          },
          [&](unsigned row, Vec word) __attribute__((always_inline)) {
            store(points + position(row * child) + j, kRoot ? canonical(word) : word);
          });
    } else {
      using C = RootColumn<R, false>;
      C::template inverse<kLeaves>(points + j, child, column_factors,
                                   std::make_integer_sequence<int, C::A>());
    }
  }
}

// `count` columns of the node of `level` that starts at point `start`, from column `first` on.
template <int R, bool kRoot>
void inverse_node(const PassPlan& passes, unsigned level, std::uint64_t* points, std::size_t start,
                  std::size_t first, std::size_t count) {
  const std::size_t child = passes.levels[level].child;
  if (level + 1 == passes.depth) {
    inverse_columns<R, true, kRoot>(points + position(start) + first, child, count,
                                    passes.inverse_leaf_factors + start + first);
    return;
  }
  const Level& below = passes.levels[level + 1];
  const std::size_t step = below.child < count ? below.child : count;
  for (std::size_t j = first; j < first + count; j += step) {
    inverse_columns<R, false, kRoot>(points + position(start) + position(j), child, step,
                                     below.inverse_factors + start / below.child + j / below.child);
  }
}

// A level below the root: 16 rows of `child` points, `count` columns of them.
[[gnu::noinline]] void forward_rows(std::uint64_t* points, std::size_t child, std::size_t count,
                                    const std::uint64_t* factors) {
  for (std::size_t j = 0; j < count; j += kWidth) {
    dft16(
        [&](unsigned row) __attribute__((always_inline)) {
          const auto x = load(points + position(row * child) + j);
          if (row == 0) return Gaussian::of_word(x);
          return Gaussian::of_product(full_product(x, broadcast_factor(factors + row)));
        },
        [&](unsigned place, Vec word)
            __attribute__((always_inline)) { store(points + position(place * child) + j, word); });
  }
}

// The root: no factors, any supported radix.
template <bool kHalf>
void forward_root_columns(unsigned radix, std::uint64_t* points, std::size_t child,
                          std::size_t count) {
  switch (radix) {
    case 6:
      return forward_columns<6, kHalf>(points, child, count);
    case 8:
      return forward_columns<8, kHalf>(points, child, count);
    case 12:
      return forward_columns<12, kHalf>(points, child, count);
    case 16:
      return forward_columns<16, kHalf>(points, child, count);
    case 24:
      return forward_columns<24, kHalf>(points, child, count);
    case 32:
      return forward_columns<32, kHalf>(points, child, count);
    case 48:
      return forward_columns<48, kHalf>(points, child, count);
    default:
      return forward_columns<64, kHalf>(points, child, count);
  }
}

void forward_root(const PassPlan& passes, std::uint64_t* points, std::size_t first,
                  std::size_t count, bool half) {
  const Level& root = passes.levels[0];
  const auto columns = half ? forward_root_columns<true> : forward_root_columns<false>;
  columns(root.radix, points + position(first), root.child, count);
}

void inverse_root(const PassPlan& passes, std::uint64_t* points, std::size_t first,
                  std::size_t count) {
  switch (passes.levels[0].radix) {
    case 6:
      return inverse_node<6, true>(passes, 0, points, 0, first, count);
    case 8:
      return inverse_node<8, true>(passes, 0, points, 0, first, count);
    case 12:
      return inverse_node<12, true>(passes, 0, points, 0, first, count);
    case 16:
      return inverse_node<16, true>(passes, 0, points, 0, first, count);
    case 24:
      return inverse_node<24, true>(passes, 0, points, 0, first, count);
    case 32:
      return inverse_node<32, true>(passes, 0, points, 0, first, count);
    case 48:
      return inverse_node<48, true>(passes, 0, points, 0, first, count);
    default:
      return inverse_node<64, true>(passes, 0, points, 0, first, count);
  }
}

// Groups of kWidth leaves from point `first` on.
[[gnu::noinline]] void forward_leaves(std::uint64_t* points, const std::uint64_t* factors,
                                      std::size_t count) {
  for (std::size_t at = 0; at < count; at += kLeaf * kWidth) {
    Vec x[kLeaf];
    load_leaves(x, points + at);
    dft16(
        [&](unsigned row) __attribute__((always_inline)) {
          if (row == 0) return Gaussian::of_word(x[0]);
          return Gaussian::of_product(
              full_product(x[row], load_factor(factors + at + row * kWidth)));
        },
        [&](unsigned place, Vec word)
            __attribute__((always_inline)) { store(points + at + place * kWidth, word); });
  }
}

// With kProduct, of points[i] * other[i].
template <bool kProduct>
[[gnu::noinline]] void inverse_leaves(std::uint64_t* points, const std::uint64_t* other,
                                      std::size_t count) {
  for (std::size_t at = 0; at < count; at += kLeaf * kWidth) {
    Vec x[kLeaf];
    inverse_dft16(
        [&](unsigned place) __attribute__((always_inline)) {
          const auto word = load(points + at + place * kWidth);
          if constexpr (!kProduct) return Gaussian::of_word(word);
          return Gaussian::of_product(full_product(word, load_factor(other + at + place * kWidth)));
        },
        [&](unsigned row, Vec word) __attribute__((always_inline)) { x[row] = word; });
    store_leaves(points + at, x);
  }
}

// Calls body(first, count) for the blocks of points [first, first + count).
template <class Body>
[[gnu::always_inline]] inline void for_blocks(std::size_t first, std::size_t count, Body body) {
  for (std::size_t done = 0; done < count; done += kBlock) {
    body(first + done, count - done < kBlock ? count - done : kBlock);
  }
}

// Everything from `level` down on the points [first, first + count), a multiple of its nodes; depth
// first, so that a node that fits in a cache stays there until it is done.
void forward_below(const PassPlan& passes, unsigned level, std::uint64_t* points, std::size_t first,
                   std::size_t count) {
  if (level == passes.depth) {
    for_blocks(first, count, [&](std::size_t at, std::size_t step) {
      forward_leaves(points + position(at), passes.leaf_factors + at, step);
    });
    return;
  }
  const Level& node = passes.levels[level];
  for (std::size_t start = first; start < first + count; start += node.size()) {
    const std::uint64_t* factors = node.factors + start / node.child;
    for_blocks(start, node.child, [&](std::size_t at, std::size_t step) {
      forward_rows(points + position(at), node.child, step, factors);
    });
    forward_below(passes, level + 1, points, start, node.size());
  }
}

void inverse_below(const PassPlan& passes, unsigned level, std::uint64_t* points,
                   const std::uint64_t* other, std::size_t first, std::size_t count) {
  if (level == passes.depth) {
    for_blocks(first, count, [&](std::size_t at, std::size_t step) {
      if (other == nullptr) {
        inverse_leaves<false>(points + position(at), nullptr, step);
      } else {
        inverse_leaves<true>(points + position(at), other + position(at), step);
      }
    });
    return;
  }
  const Level& node = passes.levels[level];
  for (std::size_t start = first; start < first + count; start += node.size()) {
    inverse_below(passes, level + 1, points, other, start, node.size());
    for_blocks(0, node.child, [&](std::size_t at, std::size_t step) {
      inverse_node<16, false>(passes, level, points, start, at, step);
    });
  }
}

void forward_children(const PassPlan& passes, std::uint64_t* points, std::size_t first,
                      std::size_t count) {
  forward_below(passes, 1, points, first, count);
}

void inverse_children(const PassPlan& passes, std::uint64_t* points, const std::uint64_t* other,
                      std::size_t first, std::size_t count) {
  inverse_below(passes, 1, points, other, first, count);
}

// Four vectors at a time: their latencies overlap.
void multiply(std::uint64_t* product, const std::uint64_t* a, const std::uint64_t* b,
              std::size_t count) {
#pragma GCC unroll 4
  for (std::size_t i = 0; i < count; i += kWidth) {
    store(product + i, multiply_mod(load(a + i), load_factor(b + i)));
  }
}

void add_product(std::uint64_t* sum, const std::uint64_t* a, const std::uint64_t* b,
                 std::size_t count) {
#pragma GCC unroll 4
  for (std::size_t i = 0; i < count; i += kWidth) {
    const auto before = load(sum + i);
    verify("accumulators are canonical", [&] { return all_less(before, all(kPrime)); });
    store(sum + i, add_mod(before, multiply_mod(load(a + i), load_factor(b + i))));
  }
}

}  // namespace

}  // namespace fhe::cpu::goldilocks
