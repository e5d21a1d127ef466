// SPDX-License-Identifier: Apache-2.0
#include "apps/support/failure.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>

#include "apps/support/arguments.hpp"
#include "libfhe/error.hpp"

namespace fhe::apps {

namespace {

ExitCode exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
    case ErrorCode::unknown_name:
      return ExitCode::usage;
    case ErrorCode::malformed_file:
    case ErrorCode::wrong_key:
    case ErrorCode::invalid_parameters:
      return ExitCode::bad_file;
    case ErrorCode::noise_exceeded:
      return ExitCode::noise;
    case ErrorCode::io:
      return ExitCode::io;
    case ErrorCode::stopped:
      return ExitCode::interrupted;
    case ErrorCode::unsupported:
    case ErrorCode::randomness:
    case ErrorCode::out_of_memory:
    case ErrorCode::wrong_result:
      return ExitCode::failure;
  }
  return ExitCode::failure;
}

std::terminate_handler usual_termination = nullptr;

bool is_about_memory(const std::exception_ptr& exception) {
  if (exception == nullptr) return true;  // the standard library's, which says no more
  try {
    std::rethrow_exception(exception);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (const std::exception& error) {
    return std::string_view(error.what()).find("pthread_create") != std::string_view::npos;
  } catch (...) {
    return false;
  }
}

[[noreturn]] void terminate() {
  if (!is_about_memory(std::current_exception())) usual_termination();
  static_cast<void>(
      std::fprintf(stderr,
                   "%s: error: out of memory where a library cannot go on without; files that were "
                   "being written are left under temporary names, and the next command removes "
                   "them\n",
                   program_invocation_short_name));
  std::_Exit(static_cast<int>(ExitCode::failure));
}

}  // namespace

void describe_termination() {
  usual_termination = std::set_terminate(terminate);
}

Failure describe(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const Error& error) {
    return {exit_code_of(error.code()), std::string(to_string(error.code())),
            one_line(error.what())};
  } catch (const UsageError& error) {
    return {ExitCode::usage, "usage", one_line(error.what())};
  } catch (const std::filesystem::filesystem_error& error) {
    return {ExitCode::io, std::string(to_string(ErrorCode::io)), one_line(error.what())};
  } catch (const std::bad_alloc&) {
    return {ExitCode::failure, std::string(to_string(ErrorCode::out_of_memory)), "out of memory"};
  } catch (const std::exception& error) {
    return {ExitCode::failure, "internal", one_line(error.what())};
  } catch (...) {
    return {ExitCode::failure, "internal", "unexpected failure of an unknown kind"};
  }
}

std::string one_line(std::string_view text) {
  constexpr char kDelete = 0x7f;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  std::string line;
  line.reserve(text.size());
  for (const char c : text) {
    const bool control = (c >= 0 && c < ' ') || c == kDelete;
    if (c == '\n' || c == '\r' || c == '\t') {
      line.push_back(' ');
    } else {
      line.push_back(control ? '?' : c);
    }
  }
  return line;
}

std::string exit_code_help() {
  return "Exit codes:\n"
         "  0    done\n"
         "  1    failed for a reason that is not listed here\n"
         "  2    wrong command line: unknown option or name, value out of range\n"
         "  3    malformed file, or a file, key or parameter group that does not belong here\n"
         "  4    noise past the limit: the result would be meaningless\n"
         "  5    input or output failed: missing file, no permission, disk full\n"
         "  130  interrupted by SIGINT, SIGTERM or SIGHUP; nothing half-written is left\n";
}

}  // namespace fhe::apps
