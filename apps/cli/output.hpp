// SPDX-License-Identifier: Apache-2.0
// What a command reports, and standard output that is checked.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "apps/support/failure.hpp"

namespace fhe::cli {

using Json = nlohmann::ordered_json;

// The result of a command in both forms; one of them is printed.
struct Report {
  Json json;
  std::string text;
  bool to_standard_error = false;  // because standard output holds ciphertexts
  bool is_of_another = false;      // process, which prints it
  apps::ExitCode exit_code = apps::ExitCode::success;
  std::string made = {};  // what is there, even if the report cannot be printed: "the keys in DIR"
};

// Writes to standard output and makes sure that it arrived. Throws Error(io).
void print(std::string_view text);

// Prints one of the forms of a report where it belongs.
void print(const Report& report, bool as_json);

// Opens /dev/null in place of any standard stream that the process was started without, so that no
// file gets its descriptor and the messages that are meant for the stream.
void reserve_standard_streams();

// The object as indented text with a line feed. Bytes that are not UTF-8 (in file names) are
// replaced; for a terminal, which would obey control characters, all that is not ASCII is escaped.
std::string to_text(const Json& json);

}  // namespace fhe::cli
