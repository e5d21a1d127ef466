// SPDX-License-Identifier: Apache-2.0
// Reading files, where three things must not be taken for each other: a file that is not there
// (nothing is returned), one that cannot be read now (Error(io)), and one that was read whole and
// is damaged, which only who parses it can tell (Error(malformed_file)).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace fhe::outsource {

// A regular file that is open. One thread at a time.
class InputFile {
 public:
  // Nothing where there is no such file. Throws Error(io) with the system's reason for one that
  // cannot be opened now, and for what is no file.
  [[nodiscard]] static std::optional<InputFile> open(const std::filesystem::path& path);
  ~InputFile();
  InputFile(InputFile&& other) noexcept
      : path_(std::move(other.path_)),
        descriptor_(std::exchange(other.descriptor_, -1)),
        bytes_(other.bytes_) {}
  InputFile& operator=(InputFile&&) = delete;

  // When it was opened.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  // Fills `out` with the next bytes. Throws Error(io), also where fewer are left.
  void read(std::span<char> out);

 private:
  InputFile(std::filesystem::path path, int descriptor);

  std::filesystem::path path_;
  int descriptor_;
  std::uint64_t bytes_ = 0;
};

// All that is in a file; nothing where there is no such file. Throws Error(io).
[[nodiscard]] std::optional<std::string> contents_if_any(const std::filesystem::path& path);

// The same, where the file has to be there: Error(io) otherwise, too.
[[nodiscard]] std::string contents_of(const std::filesystem::path& path);

}  // namespace fhe::outsource
