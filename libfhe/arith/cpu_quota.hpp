// SPDX-License-Identifier: Apache-2.0
// How much of the machine the process may use. Not installed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

namespace fhe {

// The processors' time that the control groups of this process allow, as a number of processors,
// rounded up: what `docker run --cpus=2` says. The smallest quota of its group and of those around
// it counts; none where nothing limits it. `root` is where the system's files are.
[[nodiscard]] std::optional<std::size_t> cpu_quota(const std::filesystem::path& root = "/");

}  // namespace fhe
