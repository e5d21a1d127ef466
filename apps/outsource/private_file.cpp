// SPDX-License-Identifier: Apache-2.0
#include "apps/outsource/private_file.hpp"

#include <fmt/format.h>

#include "libfhe/error.hpp"

namespace fhe::outsource {

namespace fs = std::filesystem;

void require_private(const fs::path& path, std::string_view what) {
  constexpr fs::perms kOthers = fs::perms::group_all | fs::perms::others_all;
  if ((fs::status(path).permissions() & kOthers) == fs::perms::none) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("'{0}' holds {1} and others than its owner may use it: chmod 600 {0}",
                          path.string(), what));
}

}  // namespace fhe::outsource
