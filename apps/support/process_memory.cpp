// SPDX-License-Identifier: Apache-2.0
#include "apps/support/process_memory.hpp"

#include <fstream>
#include <string>

namespace fhe::apps {

void reset_peak_memory() {
  // 5 resets VmHWM (proc(5)). Where that is not allowed the peak stays that of the whole process.
  std::ofstream("/proc/self/clear_refs") << "5\n";
}

std::uint64_t peak_memory_bytes() {
  std::ifstream status("/proc/self/status");
  std::uint64_t kibibytes = 0;
  for (std::string word; status >> word;) {
    if (word == "VmHWM:") status >> kibibytes;
  }
  return kibibytes * 1024;
}

}  // namespace fhe::apps
