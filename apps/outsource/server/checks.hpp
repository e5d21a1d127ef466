// SPDX-License-Identifier: Apache-2.0
// What is known about keys, ciphertexts and circuits: their facts.
//
// A file is read whole and checked when it comes in, by a process of its own (task.hpp), started as
// `fhe-outsource check`, which says the facts that the server needs from then on:
//
//   key          {"id", "parameters", "slots"}
//   ciphertexts  {"bits"}
//   circuit      {"inputs": [{"name", "width"}, ...], "outputs": [the same], "gates", "products",
//                 "and_depth"}
//
// The server never reads such a file itself.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <list>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

#include "apps/outsource/messages.hpp"
#include "apps/support/child_process.hpp"

namespace fhe::outsource {

enum class CheckedKind { key, ciphertexts, circuit };

// "key", "ciphertexts", "circuit".
std::string_view to_string(CheckedKind kind);

// The kind of this name. Throws Error(invalid_argument) for another.
[[nodiscard]] CheckedKind checked_kind_named(std::string_view name);

// What is to be checked.
struct Check {
  CheckedKind kind = CheckedKind::key;
  std::filesystem::path file;
  std::filesystem::path key = {};  // of ciphertexts
  std::uint64_t most_bytes = 0;    // that the file may have
};

// The process's side: prints {"facts": {...}}, or an error. Returns the exit code.
int do_check(const Check& check, const apps::ProcessLimits& limits);

// The code of the Refusal with which checks end when the server stops.
inline constexpr const char* kStopping = "stopping";

struct CheckSettings {
  std::filesystem::path program = {};                                  // that runs as `check`
  std::size_t most = 2;                                                // at the same time
  apps::ProcessLimits limits{.memory_mib = 1024, .cpu_seconds = 120};  // of one
};

// The server's side. Any number of threads; each waits for its turn. A client has at most half of
// the checks that may run at the same time (but one): one who sends much, or what takes long, does
// not keep the others waiting.
class Checks {
 public:
  // When `stop` is triggered checks end.
  Checks(CheckSettings settings, std::stop_token stop);
  Checks(const Checks&) = delete;
  Checks& operator=(const Checks&) = delete;

  // The facts of a file. Messages call it `shown_as`. Throws Refusal: what the readers of libfhe
  // say (422, 409), 413 when it takes more memory or time than a check may have, 422 when the
  // process dies over it, 503 when the server stops or the machine is out of memory; Error(io) when
  // no process can be started.
  [[nodiscard]] Json facts(const std::string& client, const Check& check,
                           const std::string& shown_as);

 private:
  class Turn;
  using Waiting = std::list<std::string>;  // clients, who came first first

  [[nodiscard]] bool may_start(Waiting::const_iterator mine) const;
  [[nodiscard]] std::size_t running_of(const std::string& client) const;

  const CheckSettings settings_;
  const std::stop_token stop_;
  std::mutex guard_;
  std::condition_variable_any changed_;
  Waiting waiting_;
  std::map<std::string, std::size_t> running_;  // checks that run, by client
};

}  // namespace fhe::outsource
