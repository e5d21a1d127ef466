// SPDX-License-Identifier: Apache-2.0
#include "accel/plugin/closed_path.hpp"

#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libfhe/error.hpp"

namespace fhe::plugin {

namespace {

namespace fs = std::filesystem;

bool is_allowed_by_user() {
  const char* const variable = secure_getenv("FHE_BACKEND_UNSAFE");
  return variable != nullptr && std::string_view(variable) == "1";
}

bool group_may_write(const struct stat& facts) {
  const bool is_own = facts.st_gid == 0 || facts.st_gid == facts.st_uid;
  return (facts.st_mode & S_IWGRP) != 0 && !is_own;
}

// Of the file and its folder: who owns a folder further up is not looked at.
bool belongs_to_another_user(const struct stat& facts) {
  return facts.st_uid != 0 && facts.st_uid != ::geteuid();
}

// What cannot be looked at cannot be loaded, and loading says why.
void require_closed(const fs::path& file, const fs::path& place, bool is_above) {
  struct stat facts {};
  if (::stat(place.c_str(), &facts) != 0) return;
  if (is_above && (facts.st_mode & S_ISVTX) != 0) return;
  if (!is_above && belongs_to_another_user(facts)) {
    throw Error(
        ErrorCode::unsupported,
        fmt::format("the plug-in {}: {} belongs to another user (number {}), who so decides "
                    "what is loaded: chown it, or set FHE_BACKEND_UNSAFE=1 if you trust "
                    "them with your keys",
                    file.string(), place.string(), facts.st_uid));
  }
  const bool is_open = (facts.st_mode & S_IWOTH) != 0;
  if (!is_open && !group_may_write(facts)) return;
  throw Error(
      ErrorCode::unsupported,
      fmt::format("the plug-in {}: {} may write to {} (mode {:o}), and so decide what is loaded: "
                  "chmod go-w it, or set FHE_BACKEND_UNSAFE=1 if you trust them with your keys",
                  file.string(), is_open ? "everybody" : "a group", place.string(),
                  facts.st_mode & 07777U));
}

}  // namespace

// By the names that were given, and by those that links lead to.
void require_closed(const fs::path& file) {
  if (is_allowed_by_user()) return;
  for (const fs::path& path : {fs::absolute(file), fs::canonical(file)}) {
    require_closed(file, path, false);
    require_closed(file, path.parent_path(), false);
    for (fs::path folder = path.parent_path(); folder.has_relative_path();) {
      folder = folder.parent_path();
      require_closed(file, folder, true);
    }
  }
}

}  // namespace fhe::plugin
