// SPDX-License-Identifier: Apache-2.0
// The frame of every program: from the command line to an exit code.
#pragma once

#include <functional>

#include "apps/support/arguments.hpp"

namespace fhe::apps {

// Parses the command line, does `body` and returns the exit code that it gives. For
// exceptions returns what the tool `fhe` returns for them (2: wrong usage), with one line on
// standard error that starts with the program's name.
int run_program(Arguments& arguments, int argc, const char* const* argv,
                const std::function<int()>& body) noexcept;

}  // namespace fhe::apps
