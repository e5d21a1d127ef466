// SPDX-License-Identifier: Apache-2.0
// Files that nobody else may read.
#pragma once

#include <filesystem>
#include <string_view>

namespace fhe::outsource {

// Throws Error(invalid_argument) unless only its owner may use a file that holds `what`: "tokens".
void require_private(const std::filesystem::path& path, std::string_view what);

}  // namespace fhe::outsource
