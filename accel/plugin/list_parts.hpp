// SPDX-License-Identifier: Apache-2.0
// Lists in one string, as plug-ins and environment variables have them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace fhe::plugin {

// What stands between the separators, without empty parts.
inline std::vector<std::string> parts_of(std::string_view list, char separator) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(separator), list.size());
    if (end > 0) parts.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return parts;
}

}  // namespace fhe::plugin
