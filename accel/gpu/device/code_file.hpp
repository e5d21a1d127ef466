// SPDX-License-Identifier: Apache-2.0
// Compiled code in a file, from one run of a program to the next.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace fhe::gpu {

// The code that keep_code() wrote there, whose digest is in front of it; nothing where there is no
// such file, and for one that is torn, altered or anything else.
[[nodiscard]] std::optional<std::vector<char>> kept_code(const std::filesystem::path& file);

// Writes code for its owner: the file appears whole or not at all, whoever else writes it. That it
// cannot be written does no harm.
void keep_code(const std::filesystem::path& file, const std::vector<char>& code);

}  // namespace fhe::gpu
