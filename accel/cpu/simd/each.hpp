// SPDX-License-Identifier: Apache-2.0
// Loops whose every step is code of its own: arrays indexed by the counter stay in registers.
#pragma once

#include <cstddef>

namespace fhe::cpu {

namespace {

// The counter of such a loop: a number that is known where code is made.
template <std::size_t I>
struct Index {
  constexpr operator std::size_t() const { return I; }
};

// Calls body(Index<0>{}), ..., body(Index<kCount - 1>{}). The body has to be always_inline.
template <std::size_t kCount, std::size_t kFirst = 0, class Body>
[[gnu::always_inline]] inline void each(const Body& body) {
  if constexpr (kFirst < kCount) {
    body(Index<kFirst>{});
    each<kCount, kFirst + 1>(body);
  }
}

}  // namespace

}  // namespace fhe::cpu
