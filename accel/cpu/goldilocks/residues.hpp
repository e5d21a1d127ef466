// SPDX-License-Identifier: Apache-2.0
// Residues modulo p in the lanes of vectors, for any lanes: the source includes a head of lanes
// (lanes_portable.hpp and its like) before this one or what is made of it, and so says which words
// of accel/cpu/simd these are.
//
// A verify build (bounds.hpp) holds every function to what is said here of its operands.
#pragma once

#include <cstddef>
#include <cstdint>

#include "accel/cpu/bounds.hpp"
#include "accel/cpu/goldilocks/pass_plan.hpp"
#include "accel/cpu/goldilocks/prime.hpp"

namespace fhe::cpu::goldilocks {

namespace {

// p - x for x <= p.
[[gnu::always_inline]] inline Vec prime_minus(Vec x) {
  verify("prime_minus: x <= p", [&] { return all_less(x, all(kPrime + 1)); });
  return sub(all(kPrime), x);
}

// Of any word a and b <= p: right modulo p, and canonical if a is.
[[gnu::always_inline]] inline Vec sub_mod(Vec a, Vec b) {
  verify("sub_mod: b <= p", [&] { return all_less(b, all(kPrime + 1)); });
  return add_where(less(a, b), sub(a, b), all(kPrime));
}
[[gnu::always_inline]] inline Vec add_mod(Vec a, Vec b) {
  return sub_mod(a, prime_minus(b));
}

// Of any word a and a canonical b: any word. One operation less.
[[gnu::always_inline]] inline Vec add_mod_lazy(Vec a, Vec b) {
  verify("add_mod_lazy: b < p", [&] { return all_less(b, all(kPrime)); });
  const Vec sum = add(a, b);
  return add_where(less(sum, b), sum, all(kEpsilon));
}

// Any word -> the canonical one.
[[gnu::always_inline]] inline Vec canonical(Vec x) {
  return sub_mod(x, all(kPrime));
}

// (x mod 2^32) * (2^32 - 1), below p.
[[gnu::always_inline]] inline Vec low_times_epsilon(Vec x) {
  return multiply_halves(x, all(kEpsilon));
}

// A product of any words in units of 2^32 or 2^52, see kProductUnit:
//   32: low mod 2^32 + 2^32 middle + 2^64 high, and `low` is the product mod 2^64;
//   52: low + 2^52 middle + 2^104 high with low < 2^52, middle < 3 * 2^52, high < 2^25.
struct Product {
  Vec low;
  Vec middle;
  Vec high;
};

// A product in units of 2^32 modulo p, canonical:
//   lo + 2^64 (h + 2^32 t) = lo + (2^32 - 1) h - t.
[[gnu::always_inline]] inline Vec reduced(const Product& product) {
  const Vec high = add(product.high, shift_right<32>(product.middle));
  return sub_mod(sub_mod(product.low, shift_right<32>(high)), prime_minus(low_times_epsilon(high)));
}

// 16 rows, row i holding point i of each of kWidth leaves that are stored one after the other.
[[gnu::always_inline]] inline void load_leaves(Vec* rows, const std::uint64_t* from) {
  for (std::size_t part = 0; part < kLeaf; part += kWidth) {
    for (std::size_t i = 0; i < kWidth; ++i) rows[part + i] = load(from + kLeaf * i + part);
    transpose(rows + part);
  }
}
// Its inverse.
[[gnu::always_inline]] inline void store_leaves(std::uint64_t* to, Vec* rows) {
  for (std::size_t part = 0; part < kLeaf; part += kWidth) {
    transpose(rows + part);
    for (std::size_t i = 0; i < kWidth; ++i) store(to + kLeaf * i + part, rows[part + i]);
  }
}

}  // namespace

}  // namespace fhe::cpu::goldilocks
