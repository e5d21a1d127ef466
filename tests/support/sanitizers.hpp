// SPDX-License-Identifier: Apache-2.0
// Whether this build is watched by a sanitizer.
#pragma once

namespace fhe::test {

// Of memory or threads. They hold freed memory back, so its size says nothing, and reserve address
// space without end, so it cannot be limited.
inline constexpr bool kSanitized =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
    true;
#else
    false;
#endif
#else
    false;
#endif

}  // namespace fhe::test
