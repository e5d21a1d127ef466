// SPDX-License-Identifier: Apache-2.0
// What travels between client and server, and is kept in the files of jobs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "libfhe/error.hpp"

namespace fhe::outsource {

using Json = nlohmann::ordered_json;

enum class JobState { queued, running, done, failed, cancelled };

// "queued", "running", "done", "failed", "cancelled".
std::string_view to_string(JobState state);

// Whether nothing will change any more.
[[nodiscard]] inline bool is_finished(JobState state) {
  return state != JobState::queued && state != JobState::running;
}

// What a client asks for: names of things that are on the server already.
struct JobRequest {
  std::string key;
  std::string circuit;
  std::vector<std::string> inputs;  // one for each input word
};

struct Job {
  std::string id;
  JobRequest request;
  JobState state = JobState::queued;
  double fraction = 0;         // of the work, in [0, 1]
  std::int64_t created = 0;    // seconds since 1970
  std::int64_t started = 0;    // 0: not yet
  std::int64_t finished = 0;   // 0: not yet
  std::uint64_t products = 0;  // of the last run: one that was interrupted goes on later
  std::uint64_t recryptions = 0;
  std::string error = {};         // of a failed job: what is wrong and what to do
  std::uint64_t output_bits = 0;  // of the result
  std::string note = {};    // of any job: what went wrong on the way, and what is done about it
  std::uint64_t tries = 0;  // that ended because the process of the job died
  std::string label = {};   // of the circuit, when the job was submitted
};

// What a client calls a circuit that it sends: for people to read, so that no program takes it for
// a name. 1 to kLongestLabel printable characters of ASCII, with no blank at either end.
inline constexpr std::size_t kLongestLabel = 64;
[[nodiscard]] bool is_label(std::string_view text);

[[nodiscard]] Json to_json(const Job& job);
[[nodiscard]] std::string to_text(const Json& json);

// These throw Error(malformed_file), naming `source`, for anything else than they expect.
[[nodiscard]] Json parse_json(std::string_view text, std::string_view source);
[[nodiscard]] const Json& member_of(const Json& json, const char* name, std::string_view source);
[[nodiscard]] std::string text_of(const Json& json, const char* name, std::string_view source);
// "" where there is no such member.
[[nodiscard]] std::string text_if_any(const Json& json, const char* name, std::string_view source);
[[nodiscard]] std::uint64_t number_of(const Json& json, const char* name, std::string_view source);
[[nodiscard]] JobRequest request_from(const Json& json, std::string_view source);
[[nodiscard]] Job job_from(const Json& json, std::string_view source);

// The code of this name (to_string); none for another text.
[[nodiscard]] std::optional<ErrorCode> error_code_named(std::string_view name);

// Whether all of it is hexadecimal digits, 0-9 and a-f, like tokens and most names on a server.
[[nodiscard]] bool is_hex(std::string_view text);

// `text` with `by` for every `name`: what is said about a file that others know by another name.
[[nodiscard]] std::string replaced(std::string text, const std::string& name,
                                   const std::string& by);

// {"error": {"code", "message"}}: the body of every answer that is an error.
[[nodiscard]] Json error_json(std::string_view code, std::string_view message);

}  // namespace fhe::outsource
