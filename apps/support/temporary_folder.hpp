// SPDX-License-Identifier: Apache-2.0
// A folder that is removed again.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include <stdlib.h>

#include "libfhe/error.hpp"

namespace fhe::apps {

// A new, empty folder, for its owner only, removed with all that is in it. Neither copied nor
// moved.
class TemporaryFolder {
 public:
  // `name` is what its own name begins with; it is among the system's temporary files, or in
  // `parent`. Throws Error(io).
  explicit TemporaryFolder(const std::string& name, const std::filesystem::path& parent =
                                                        std::filesystem::temp_directory_path()) {
    const std::string unique(6, 'X');  // mkdtemp's, which replaces them
    std::string path = (parent / (name + "-" + unique)).string();
    if (::mkdtemp(path.data()) == nullptr) {
      throw Error(ErrorCode::io, "cannot make a folder in " + parent.string());
    }
    path_ = path;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace fhe::apps
