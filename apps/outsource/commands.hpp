// SPDX-License-Identifier: Apache-2.0
// The verbs of the program.
#pragma once

#include <functional>

#include "apps/support/arguments.hpp"

namespace fhe::outsource {

// What a verb does: returns the exit code.
using Action = std::function<int()>;

// Each adds its verbs, which put what they do into `chosen`.
void add_token_command(const apps::Command& program, Action& chosen);
void add_server_commands(const apps::Command& program, Action& chosen);
void add_client_commands(const apps::Command& program, Action& chosen);
void add_demo_command(const apps::Command& program, Action& chosen);

}  // namespace fhe::outsource
