// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "libfhe/error.hpp"

namespace fhe::cli {

void print(std::string_view text) {
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return;
  throw Error(ErrorCode::io,
              fmt::format("cannot write to standard output: {}", std::strerror(errno)));
}

void print(const Report& report, bool as_json) {
  const std::string text = as_json ? to_text(report.json) : report.text;
  if (report.to_standard_error) {
    static_cast<void>(std::fputs(text.c_str(), stderr));
    return;
  }
  try {
    print(text);
  } catch (const Error& error) {
    if (report.made.empty()) throw;
    throw Error(error.code(),
                fmt::format("{}; {} are made all the same", error.what(), report.made));
  }
}

void reserve_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // Read-only even for the output streams: writing to them still fails and is reported.
    if (fcntl(stream, F_GETFD) == -1) static_cast<void>(open("/dev/null", O_RDONLY));
  }
}

std::string to_text(const Json& json) {
  const bool ascii_only = isatty(STDOUT_FILENO) != 0;
  return json.dump(2, ' ', ascii_only, Json::error_handler_t::replace) + "\n";
}

}  // namespace fhe::cli
