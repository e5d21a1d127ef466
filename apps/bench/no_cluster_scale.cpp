// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/scale.hpp"
#include "libfhe/error.hpp"

namespace fhe::bench {

void measure_cluster(const ParameterSet& /*group*/, const BackendPtr& /*backend*/,
                     const ScaleOptions& /*options*/) {
  throw Error(
      ErrorCode::unsupported,
      "this fhe-bench was built without StarPU: install libstarpu-dev and libopenmpi-dev, and "
      "build it again");
}

}  // namespace fhe::bench
