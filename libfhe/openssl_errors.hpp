// SPDX-License-Identifier: Apache-2.0
// Failures of OpenSSL as exceptions. Not installed.
#pragma once

#include <cstddef>
#include <string_view>

#include "libfhe/error.hpp"

namespace fhe {

// To be called before functions of OpenSSL. One that could not start for want of memory would crash
// in most of them. Throws std::bad_alloc.
void require_openssl();

// To be called right after a function of OpenSSL failed. Throws std::bad_alloc where it did so for
// want of memory, which OpenSSL notes in the thread's queue of errors, and elsewhere an Error of
// this code and message, and the words "perhaps for want of memory": not every function of OpenSSL
// notes that, and the callers give none of them a reason of another kind. Empties the queue.
[[noreturn]] void throw_openssl_failure(ErrorCode code, std::string_view message);

// The most bytes that one call of OpenSSL is given: it counts them in an int.
inline constexpr std::size_t kMostOpenSslBytes = std::size_t{1} << 30;

}  // namespace fhe
