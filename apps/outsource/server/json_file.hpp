// SPDX-License-Identifier: Apache-2.0
// JSON in the files of the server.
#pragma once

#include <filesystem>
#include <string_view>

#include "apps/outsource/messages.hpp"

namespace fhe::outsource {

// Throws Error(malformed_file), naming `source`, for what is no JSON, and for no file.
[[nodiscard]] Json load_json(const std::filesystem::path& path, std::string_view source);

// Whole or not at all, and readable by the owner only. Throws Error(io).
void save_json(const std::filesystem::path& path, const Json& json);

}  // namespace fhe::outsource
