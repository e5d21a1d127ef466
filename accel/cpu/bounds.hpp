// SPDX-License-Identifier: Apache-2.0
// The ranges that the kernels document, checked at run time in a verify build (the CMake option
// FHE_VERIFY_BOUNDS), and nothing at all in any other.
#pragma once

namespace fhe::cpu {

#ifdef FHE_VERIFY_BOUNDS
inline constexpr bool kVerifyBounds = true;
#else
inline constexpr bool kVerifyBounds = false;
#endif

// @throws std::logic_error with this text: a defect of the library.
[[noreturn]] void bound_exceeded(const char* range);

// In a verify build: fails with the text `range` unless is_kept() is true. The condition is a
// function, so that it costs nothing elsewhere.
template <class Condition>
[[gnu::always_inline]] inline void verify(const char* range, const Condition& is_kept) {
  if constexpr (kVerifyBounds) {
    if (!is_kept()) bound_exceeded(range);
  }
}

}  // namespace fhe::cpu
