// SPDX-License-Identifier: Apache-2.0
// Everything in a folder, as a value.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace fhe::faults {

// Relative path to contents; of folders kFolder.
using Snapshot = std::map<std::string, std::string>;
inline constexpr const char* kFolder = "<folder>";

[[nodiscard]] Snapshot snapshot(const std::filesystem::path& folder);

// Makes an empty folder what the snapshot says.
void lay_out(const Snapshot& state, const std::filesystem::path& folder);

}  // namespace fhe::faults
