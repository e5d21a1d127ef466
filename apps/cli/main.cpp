// SPDX-License-Identifier: Apache-2.0
// The command-line tool `fhe`.
#include "apps/cli/command_line.hpp"

int main(int argc, char** argv) {
  return fhe::cli::run(argc, argv);
}
