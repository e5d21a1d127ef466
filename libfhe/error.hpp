// SPDX-License-Identifier: Apache-2.0
// The one exception type of the library: a code to branch on and a sentence to show.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "libfhe/export.hpp"

namespace fhe {

// What went wrong, coarse enough to branch on. The message holds the numbers and the advice.
enum class ErrorCode {
  invalid_argument,    // a value passed by the caller is outside the documented range
  invalid_parameters,  // a parameter group fails one of its validity checks
  unknown_name,        // no such parameter group, backend, scheme or gate
  noise_exceeded,      // the noise bound (or the measured noise) is past the limit
  wrong_key,           // objects of different keys or parameter groups were used together, or an
                       // object of another kind or family was given than is taken here
  malformed_file,      // a file is truncated, altered or of another version
  io,                  // the operating system refused to read or write
  unsupported,         // a valid request that this build, machine or object cannot serve
  stopped,             // the caller's stop token was triggered
  randomness,          // the random generator failed; nothing was produced
  out_of_memory,       // the operating system gave no more memory; the operation had no effect
  wrong_result,        // a result failed its own check: faulty backend, device or memory,
                       // or an altered public key
};

// Short, stable, lower-case name of a code, such as "noise_exceeded"; used in JSON output.
FHE_EXPORT std::string_view to_string(ErrorCode code) noexcept;

// Thrown by every function of the library that cannot do what it was asked to do. The message says
// what is wrong and what to do about it, and never holds a key, a plaintext bit or another secret.
class FHE_EXPORT Error : public std::runtime_error {
 public:
  // An error with a code and a message for people, which what() returns.
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}

  // The code to branch on.
  [[nodiscard]] ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace fhe
