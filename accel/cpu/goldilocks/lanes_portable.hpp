// SPDX-License-Identifier: Apache-2.0
// One residue at a time in C++. This type shows what the passes need of a kernel's arithmetic:
//
//   add, sub     a: any word, b <= p. The value is right modulo p; canonical if a is.
//   add_lazy     a: any word, b canonical. Any word: one operation less.
//   mul          any words; canonical.
//   full_product x w in units of kProductUnit bits. 32: low mod 2^32 + 2^32 middle + 2^64 high, and
//                `low` is x w mod 2^64. 52: low + 2^52 middle + 2^104 high with low < 2^52,
//                middle < 3 * 2^52, high < 2^25.
//   Factor       a multiplier prepared once.
//   canonical    any word -> the canonical one.
//   plus, minus, both (and), left, right, right_signed: on plain 64-bit words.
//   low_times_epsilon(x) = (x mod 2^32) * (2^32 - 1), below p.
//   prime_minus(x) = p - x for x <= p.
//   all_below    whether x < end in every lane: a verify build (bounds.hpp) checks with it the
//                ranges of b and x that are stated here.
//   load_leaves  16 rows, row i holding point i of each of `width` leaves that are stored one after
//                the other; store_leaves is its inverse.
#pragma once

#include <cstddef>
#include <cstdint>

#include "accel/cpu/bounds.hpp"
#include "accel/cpu/goldilocks/prime.hpp"

namespace fhe::cpu::goldilocks {

namespace {

struct PortableLanes {
  using Vec = std::uint64_t;
  using Factor = std::uint64_t;
  struct Product {
    Vec low;
    Vec middle;
    Vec high;
  };
  static constexpr int kProductUnit = 32;
  static constexpr std::size_t kWidth = 1;

  static Vec load(const std::uint64_t* from) { return *from; }
  static void store(std::uint64_t* to, Vec x) { *to = x; }
  static Factor broadcast_factor(const std::uint64_t* from) { return *from; }
  static Factor load_factor(const std::uint64_t* from) { return *from; }
  static Vec zero() { return 0; }

  static bool all_below(Vec x, std::uint64_t end) { return x < end; }
  static Vec sub(Vec a, Vec b) {
    verify("sub: b <= p", [&] { return all_below(b, kPrime + 1); });
    return a - b + (a < b ? kPrime : 0);
  }
  static Vec add(Vec a, Vec b) { return sub(a, prime_minus(b)); }
  static Vec add_lazy(Vec a, Vec b) {
    verify("add_lazy: b < p", [&] { return all_below(b, kPrime); });
    const Vec sum = a + b;
    return sum + (sum < b ? kEpsilon : 0);
  }
  static Vec all(std::uint64_t x) { return x; }
  static Vec canonical(Vec x) { return sub(x, kPrime); }
  static Vec plus(Vec a, Vec b) { return a + b; }
  static Vec minus(Vec a, Vec b) { return a - b; }
  static Vec both(Vec a, Vec b) { return a & b; }
  static Vec prime_minus(Vec x) {
    verify("prime_minus: x <= p", [&] { return all_below(x, kPrime + 1); });
    return kPrime - x;
  }
  template <int kShift>
  static Vec left(Vec x) {
    return x << kShift;
  }
  template <int kShift>
  static Vec right(Vec x) {
    return x >> kShift;
  }
  template <int kShift>
  static Vec right_signed(Vec x) {
    return static_cast<Vec>(static_cast<std::int64_t>(x) >> kShift);
  }
  static Vec low_times_epsilon(Vec x) { return (x & kEpsilon) * kEpsilon; }

  static Product full_product(Vec x, Factor w) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(x) * w;
    const auto top = static_cast<Vec>(product >> 96);
    return {static_cast<Vec>(product), static_cast<Vec>(product >> 32), top << 32};
  }
  // x w = lo + 2^64 (h + 2^32 t) = lo + (2^32 - 1) h - t.
  static Vec mul(Vec x, Factor w) {
    const Product product = full_product(x, w);
    const Vec high = product.high + (product.middle >> 32);
    return sub(sub(product.low, high >> 32), kPrime - low_times_epsilon(high));
  }

  static void load_leaves(Vec* rows, const std::uint64_t* from) {
    for (int i = 0; i < 16; ++i) rows[i] = from[i];
  }
  static void store_leaves(std::uint64_t* to, const Vec* rows) {
    for (int i = 0; i < 16; ++i) to[i] = rows[i];
  }
};

}  // namespace

}  // namespace fhe::cpu::goldilocks
