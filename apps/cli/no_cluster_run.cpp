// SPDX-License-Identifier: Apache-2.0
// `fhe run --engine starpu` in a build without StarPU.
#include "apps/cli/run_command.hpp"

namespace fhe::cli {

Report run_on_cluster(const RunCommandOptions& /*options*/, Session& /*session*/) {
  throw Error(ErrorCode::unsupported,
              "this fhe was built without an engine for clusters: install libstarpu-dev and "
              "libopenmpi-dev, and build it again");
}

}  // namespace fhe::cli
