// SPDX-License-Identifier: Apache-2.0
// The factors that lanes_portable.hpp describes, for the lanes whose full_product is made of
// half_products (see residues.hpp for the words).
#pragma once

#include <cstdint>

namespace fhe::cpu::goldilocks {

namespace {

inline constexpr int kProductUnit = 32;

// `high` has the upper half of w in the lower half of each lane; the rest is not used.
struct Factor {
  Vec w;
  Vec high;
};

[[gnu::always_inline]] inline Factor load_factor(const std::uint64_t* from) {
  const Vec w = load(from);
  return {w, upper(w)};
}
[[gnu::always_inline]] inline Factor broadcast_factor(const std::uint64_t* from) {
  return {all(*from), all_halves(static_cast<std::uint32_t>(*from >> 32))};
}

}  // namespace

}  // namespace fhe::cpu::goldilocks
