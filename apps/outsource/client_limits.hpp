// SPDX-License-Identifier: Apache-2.0
// What one client may have on a server, and how much it may ask: options of `serve` say it for all,
// and words behind a token (tokens.hpp) for one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fhe::outsource {

struct ClientLimits {
  std::uint64_t jobs = 16;             // that are not finished
  std::uint64_t running = 256;         // jobs that run at the same time
  std::uint64_t quota_mib = 4096;      // of all files
  std::uint64_t requests = 32;         // at the same time
  std::uint64_t rate = 6000;           // requests a minute; 0: any number
  std::uint64_t job_seconds = 86'400;  // of a job, each time it runs
};

// How a limit is called.
struct LimitName {
  const char* word;    // behind a token: word=number
  const char* option;  // of `serve`
  std::uint64_t ClientLimits::*value;
  std::uint64_t least;
  std::uint64_t most;
  const char* description;
};

// The first word of a text, which it loses with the blank behind it.
[[nodiscard]] std::string_view take_word(std::string_view& text);

// All of them.
[[nodiscard]] std::span<const LimitName> limit_names();

// `usual` with what these words, with a blank between any two, say instead. Throws
// Error(malformed_file), naming `where`, for a word that is no limit or is there twice.
[[nodiscard]] ClientLimits limits_from(std::string_view words, const ClientLimits& usual,
                                       const std::string& where);

}  // namespace fhe::outsource
