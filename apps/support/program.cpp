#include "apps/support/program.hpp"

#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "apps/cli/failure.hpp"

namespace fhe::apps {

namespace {

// Whether the next argument is this one's value, whatever it looks like.
bool takes_value(const CLI::App& command, const std::string& argument) {
  if (!argument.starts_with('-')) return false;
  const CLI::Option* const option = command.get_option_no_throw(argument);
  return option != nullptr && option->get_items_expected_min() > 0;
}

// The command that the arguments after this one belong to.
const CLI::App* after(const CLI::App& command, const std::string& argument) {
  const auto verbs = command.get_subcommands(
      [&](const CLI::App* verb) { return verb->get_name() == argument; });
  return verbs.empty() ? &command : verbs.front();
}

void refuse_empty_arguments(const CLI::App& options, std::span<const char* const> arguments) {
  const CLI::App* command = &options;
  bool is_value = false;
  bool only_names = false;  // after --
  for (const std::string_view text : arguments) {
    const std::string argument(text);
    if (is_value) {
      is_value = false;
    } else if (argument.empty()) {
      throw CLI::ExtrasError(options.get_name(), {"(an empty argument)"});
    } else if (argument == "--") {
      only_names = true;
    } else if (!only_names && takes_value(*command, argument)) {
      is_value = true;
    } else {
      command = after(*command, argument);
    }
  }
}

}  // namespace

void parse_arguments(CLI::App& options, int argc, const char* const* argv) {
  const std::span arguments(argv, static_cast<std::size_t>(argc));
  if (!arguments.empty()) refuse_empty_arguments(options, arguments.subspan(1));
  options.parse(argc, argv);
}

int run_program(CLI::App& options, int argc, const char* const* argv,
                const std::function<int()>& body) noexcept {
  const auto complain = [&](const std::string& message) {
    fmt::print(stderr, "{}: error: {}\n", options.get_name(), message);
  };
  try {
    parse_arguments(options, argc, argv);
    return body();
  } catch (const CLI::Success& request) {
    return options.exit(request);
  } catch (const CLI::ParseError& error) {
    complain(cli::one_line(error.what()) + " (see --help)");
    return static_cast<int>(cli::ExitCode::usage);
  } catch (...) {
    const cli::Failure failure = cli::describe(std::current_exception());
    complain(failure.message);
    return static_cast<int>(failure.exit_code);
  }
}

}  // namespace fhe::apps
