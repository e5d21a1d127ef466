// SPDX-License-Identifier: Apache-2.0
#include "apps/support/secrecy.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>

namespace fhe::apps {

void keep_memory_private() {
  // The limit also holds for what this process starts, but not where dumps go to a pipe.
  constexpr rlimit kNothing{.rlim_cur = 0, .rlim_max = 0};
  static_cast<void>(setrlimit(RLIMIT_CORE, &kNothing));
  static_cast<void>(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0));
}

}  // namespace fhe::apps
