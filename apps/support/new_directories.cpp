// SPDX-License-Identifier: Apache-2.0
#include "apps/support/new_directories.hpp"

#include <ranges>
#include <system_error>

#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/storage/file_target.hpp"

namespace fhe::apps {

namespace fs = std::filesystem;

void make_directories(const fs::path& path) {
  NewDirectories made;
  made.make(path);
  made.keep();
}

NewDirectories::~NewDirectories() {
  std::error_code ignored;  // leaves a directory that is not empty
  for (const fs::path& path : std::views::reverse(made_)) fs::remove(path, ignored);
}

void NewDirectories::make(const fs::path& path) {
  fs::path directory;
  for (const fs::path& part : path) {
    directory /= part;
    std::error_code error;
    if (fs::create_directory(directory, error)) {
      made_.push_back(directory);
      error = {sync_directory(directory_of(directory)), std::system_category()};
    }
    if (!error) continue;
    throw Error(ErrorCode::io,
                fmt::format("cannot make the directory {}: {}", path.string(), error.message()));
  }
}

}  // namespace fhe::apps
