// SPDX-License-Identifier: Apache-2.0
// From exceptions to exit codes and one-line messages.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace fhe::apps {

// What the process returns; listed in `fhe --help`.
enum class ExitCode : int {
  success = 0,
  failure = 1,   // any error that is not one of the following
  usage = 2,     // wrong command line, value out of range, unknown name
  bad_file = 3,  // malformed file, or a file, key or parameter group that does not belong here
  noise = 4,     // too much noise for what was asked
  io = 5,        // the operating system refused to read or write
  interrupted = 130,
};

struct Failure {
  ExitCode exit_code;
  std::string code;     // short and stable, for scripts: "malformed_file", "usage", ...
  std::string message;  // one line, printable
};

// Describes anything that can be caught.
Failure describe(const std::exception_ptr& exception);

// From now on a call of std::terminate for want of memory ends the process with ExitCode::failure
// and one line of error: libraries make it where memory is wanting in a function that must not
// throw, and oneTBB where it cannot start a thread. Nothing is cleaned up. Others end it as before.
void describe_termination();

// `text` with its line breaks turned into blanks and other control characters into '?'.
std::string one_line(std::string_view text);

// The rows of the table of exit codes in `fhe --help`.
std::string exit_code_help();

}  // namespace fhe::apps
