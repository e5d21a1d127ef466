// SPDX-License-Identifier: Apache-2.0
// Command lines of `fhe`, one argument a line: parsed in the end, to a command or to an error;
// commands are not run.
#include "apps/cli/command_line.hpp"

#include <exception>
#include <string>
#include <vector>

#include "apps/support/failure.hpp"
#include "tests/hostile/target.hpp"

using namespace fhe;
using namespace fhe::hostile;

namespace {

constexpr std::size_t kMostArguments = 64;

// Of what a process can be given: no zeros inside.
std::vector<std::string> arguments_of(std::string_view text) {
  std::vector<std::string> arguments{"fhe"};
  while (!text.empty() && arguments.size() <= kMostArguments) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    arguments.emplace_back(line.substr(0, line.find('\0')));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return arguments;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::string> arguments = arguments_of(text_of(data, size));
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  cli::CommandLine line;
  cli::add_all_commands(line);
  try {
    const bool wants_help =
        line.parse(static_cast<int>(pointers.size()), pointers.data()).has_value();
    demand(wants_help || static_cast<bool>(line.action()),
           "a command line was parsed to no command");
  } catch (const apps::UsageError& error) {
    demand(apps::describe(std::current_exception()).exit_code == apps::ExitCode::usage,
           "an error of the command line has another exit code");
    demand(std::string_view(error.what()).find("--help") != std::string_view::npos,
           "an error of the command line does not point to the help");
  }
  return 0;
}
