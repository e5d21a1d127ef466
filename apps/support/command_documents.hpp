// SPDX-License-Identifier: Apache-2.0
// What is made of a command line besides its help: the manual page of the program, and scripts by
// which shells complete its words. The same command line gives the same text.
#pragma once

#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace fhe::apps {

// The page in the language of man(7), section 1: every command that is not hidden, with its
// options.
std::string man_page(const CLI::App& program, const std::string& version);

// The script for "bash", "zsh" or "fish". Throws UsageError for other shells.
std::string completion(const CLI::App& program, const std::string& shell);

}  // namespace fhe::apps
