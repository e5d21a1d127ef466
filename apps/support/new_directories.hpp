// SPDX-License-Identifier: Apache-2.0
// Directories that are made for good, or stay only when what they were made for succeeds.
#pragma once

#include <filesystem>
#include <vector>

namespace fhe::apps {

// Makes the directory and those above it, where they are missing, for good: the names of files in
// one that is lost with the power would be lost too. Throws Error(io), and then has made none.
void make_directories(const std::filesystem::path& path);

// Directories that had to be made, which are removed again unless they are kept or not empty.
class NewDirectories {
 public:
  NewDirectories() = default;
  ~NewDirectories();
  NewDirectories(const NewDirectories&) = delete;
  NewDirectories& operator=(const NewDirectories&) = delete;

  // As make_directories() does. Throws Error(io).
  void make(const std::filesystem::path& path);

  void keep() { made_.clear(); }

 private:
  std::vector<std::filesystem::path> made_;
};

}  // namespace fhe::apps
