// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/cpu_quota.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

namespace fhe {

namespace {

namespace fs = std::filesystem;

using Quota = std::optional<std::size_t>;

Quota smaller(Quota x, Quota y) {
  return x && y ? std::min(x, y) : std::max(x, y);
}

// -1 and "max" stand for no limit; so does what cannot be read.
Quota processors(std::int64_t quota, std::int64_t period) {
  if (quota <= 0 || period <= 0) return std::nullopt;
  return static_cast<std::size_t>((quota - 1) / period + 1);
}

// "<quota or max> <period>", both in microseconds.
Quota quota_in_version_2(const fs::path& group) {
  std::ifstream file(group / "cpu.max");
  std::int64_t quota = 0;
  std::int64_t period = 0;
  return file >> quota >> period ? processors(quota, period) : std::nullopt;
}

Quota quota_in_version_1(const fs::path& group) {
  std::ifstream quota_file(group / "cpu.cfs_quota_us");
  std::ifstream period_file(group / "cpu.cfs_period_us");
  std::int64_t quota = 0;
  std::int64_t period = 0;
  return quota_file >> quota && period_file >> period ? processors(quota, period) : std::nullopt;
}

// Of the group `path` and of those around it. In a container the path may be one of the machine
// outside, and only what is around it is there.
template <class Read>
Quota quota_on_the_way(const fs::path& mounted, const fs::path& path, const Read& read) {
  Quota least = read(mounted);
  fs::path group = mounted;
  for (const fs::path& part : path.relative_path()) {
    group /= part;
    least = smaller(least, read(group));
  }
  return least;
}

bool has_part(std::string_view list, std::string_view part) {
  while (!list.empty()) {
    const std::size_t size = std::min(list.find(','), list.size());
    if (list.substr(0, size) == part) return true;
    list.remove_prefix(std::min(size + 1, list.size()));
  }
  return false;
}

}  // namespace

std::optional<std::size_t> cpu_quota(const fs::path& root) {
  const fs::path mounted = root / "sys/fs/cgroup";
  std::ifstream groups(root / "proc/self/cgroup");
  Quota least;
  // "<number>:<controllers>:<path>"; the one of version 2 has number 0 and no controllers.
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path path = line.substr(second + 1);
    if (controllers.empty()) {
      least = smaller(least, quota_on_the_way(mounted, path, quota_in_version_2));
    } else if (has_part(controllers, "cpu")) {
      for (const std::string& folder : {controllers, std::string("cpu")}) {
        least = smaller(least, quota_on_the_way(mounted / folder, path, quota_in_version_1));
      }
    }
  }
  return least;
}

}  // namespace fhe
