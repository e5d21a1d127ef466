// SPDX-License-Identifier: Apache-2.0
// JSON in the files of the server.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "apps/outsource/messages.hpp"

namespace fhe::outsource {

// Nothing where there is no such file. Throws Error(io) for one that cannot be read now, and
// Error(malformed_file), naming `source`, for what is no JSON.
[[nodiscard]] std::optional<Json> load_json_if_any(const std::filesystem::path& path,
                                                   std::string_view source);

// Whole or not at all, and readable by the owner only. Throws Error(io).
void save_json(const std::filesystem::path& path, const Json& json);

}  // namespace fhe::outsource
