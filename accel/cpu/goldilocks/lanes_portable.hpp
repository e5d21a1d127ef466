// SPDX-License-Identifier: Apache-2.0
// Residues one at a time in C++. A head of lanes is for the sources of one kernel: it takes the
// words of simd/ for its instructions, and adds the product of two residues, made as suits them.
//
//   kProductUnit     of full_product: 32 or 52 bits, see Product
//   Factor           a multiplier prepared once
//   load_factor      one for each lane, as load
//   broadcast_factor the same for all lanes
//   full_product     x w of any words
//   multiply_mod     x w modulo p of any words, canonical
#pragma once

#include <cstdint>

#include "accel/cpu/simd/portable.hpp"
// in these words:
#include "accel/cpu/goldilocks/residues.hpp"

namespace fhe::cpu::goldilocks {

namespace {

inline constexpr int kProductUnit = 32;
using Factor = Vec;

[[gnu::always_inline]] inline Factor load_factor(const std::uint64_t* from) {
  return *from;
}
[[gnu::always_inline]] inline Factor broadcast_factor(const std::uint64_t* from) {
  return *from;
}

[[gnu::always_inline]] inline Product full_product(Vec x, Factor w) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(x) * w;
  const auto top = static_cast<Vec>(product >> 96);
  return {static_cast<Vec>(product), static_cast<Vec>(product >> 32), top << 32};
}
[[gnu::always_inline]] inline Vec multiply_mod(Vec x, Factor w) {
  return reduced(full_product(x, w));
}

}  // namespace

}  // namespace fhe::cpu::goldilocks
