// SPDX-License-Identifier: Apache-2.0
// Shared objects that hold a backend.
#pragma once

#include <filesystem>
#include <string>

#include "accel/plugin/backend_abi.h"

namespace fhe::plugin {

// A plug-in that this process has loaded. It stays so until the process ends.
struct LoadedPlugin {
  std::filesystem::path path;   // absolute
  fhe_backend_table functions;  // null where the plug-in is older than a function
};

// The plug-in in this file, which is loaded when it is first asked for. Any thread may call it.
// Throws Error(io) for a file that cannot be read, Error(unsupported) for one that is no plug-in,
// is made for another machine, speaks another version of the interface or breaks its rules, or that
// others can replace (require_closed).
const LoadedPlugin& load_plugin(const std::filesystem::path& file);

}  // namespace fhe::plugin
