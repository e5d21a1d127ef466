// SPDX-License-Identifier: Apache-2.0
// `fhe backends test` of a build without the conformance suite.
#include <string>
#include <vector>

#include "apps/cli/command_line.hpp"
#include "libfhe/error.hpp"

namespace fhe::cli {

void add_backends_test_command(CommandLine& line, const apps::Command& backends) {
  const apps::Command command = line.add_command(
      backends, "test", "Test a backend; this build leaves the tests out", "fhe backends",
      [](Session& /*session*/) -> Report {
        throw Error(ErrorCode::unsupported,
                    "this build leaves the conformance suite of backends out: configure it with "
                    "-DFHE_CONFORMANCE=ON and build the target fhe_cli again");
      });
  command.takes_anything();
}

}  // namespace fhe::cli
