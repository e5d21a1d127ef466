// SPDX-License-Identifier: Apache-2.0
// The plug-ins that are built for tests.
#pragma once

#include <filesystem>
#include <string>

namespace fhe::test {

inline std::filesystem::path plugin(const std::string& name) {
  return std::filesystem::path(FHE_TEST_PLUGINS) / (name + ".so");
}

}  // namespace fhe::test
