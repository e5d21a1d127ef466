// SPDX-License-Identifier: Apache-2.0
#include "libfhe/error.hpp"

#include <fmt/format.h>

#include "libfhe/held.hpp"
#include "libfhe/memory_errors.hpp"

namespace fhe {

namespace {

// Made when there is memory; a copy of it takes none. Never destroyed: used until the end.
const auto* const kOutOfMemory =
    new Error(ErrorCode::out_of_memory,
              "out of memory: the operation had no effect; free memory, allow the process more, or "
              "use a smaller parameter group");

}  // namespace

void throw_out_of_memory() {
  throw Error(*kOutOfMemory);
}

void throw_moved_from(std::string_view object) {
  throw reporting_memory([&] {
    return Error(ErrorCode::invalid_argument,
                 fmt::format("{} was moved from and holds nothing: use the object that it was "
                             "moved to",
                             object));
  });
}

void throw_missing(std::string_view object) {
  throw reporting_memory([&] {
    return Error(ErrorCode::invalid_argument,
                 fmt::format("{} is a null pointer: give one", object));
  });
}

std::string_view to_string(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::invalid_argument:
      return "invalid_argument";
    case ErrorCode::invalid_parameters:
      return "invalid_parameters";
    case ErrorCode::unknown_name:
      return "unknown_name";
    case ErrorCode::noise_exceeded:
      return "noise_exceeded";
    case ErrorCode::wrong_key:
      return "wrong_key";
    case ErrorCode::malformed_file:
      return "malformed_file";
    case ErrorCode::io:
      return "io";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::stopped:
      return "stopped";
    case ErrorCode::randomness:
      return "randomness";
    case ErrorCode::out_of_memory:
      return "out_of_memory";
    case ErrorCode::wrong_result:
      return "wrong_result";
  }
  return "unknown";
}

}  // namespace fhe
