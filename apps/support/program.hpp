// The frame of every program: from the command line to an exit code.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace fhe::apps {

// Parses the command line into `options`. Throws CLI::ParseError, also for --help, and for an empty
// argument that is no option's value: CLI11 2.1 may look for one of that name for ever.
void parse_arguments(CLI::App& options, int argc, const char* const* argv);

// Parses the command line into `options`, does `body` and returns the exit code that it gives. For
// exceptions returns what the tool `fhe` returns for them (2: wrong usage), with one line on
// standard error that starts with the program's name.
int run_program(CLI::App& options, int argc, const char* const* argv,
                const std::function<int()>& body) noexcept;

}  // namespace fhe::apps
