// SPDX-License-Identifier: Apache-2.0
// The S-box of AES with AES-NI, for the heads of its rounds. See portable.hpp.
#pragma once

#include <cstdint>

#include <immintrin.h>

namespace fhe::cpu {

namespace {

[[gnu::always_inline]] inline std::uint32_t substitute_word(std::uint32_t word) {
  const __m128i words = _mm_set1_epi32(static_cast<int>(word));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_aeskeygenassist_si128(words, 0)));
}

}  // namespace

}  // namespace fhe::cpu
