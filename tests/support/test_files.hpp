// SPDX-License-Identifier: Apache-2.0
// Files for tests: a directory that is removed again, and whole files as bytes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "apps/support/temporary_folder.hpp"

namespace fhe::test {

// A new, empty directory.
class TemporaryDirectory : public apps::TemporaryFolder {
 public:
  TemporaryDirectory() : TemporaryFolder("fhe-test") {}

  // Number of entries, hidden ones included.
  [[nodiscard]] std::ptrdiff_t size() const {
    return std::distance(std::filesystem::directory_iterator(path()), {});
  }
};

inline std::vector<std::byte> read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  std::vector<std::byte> bytes(std::filesystem::file_size(path));
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

inline void write_file(const std::filesystem::path& path, const std::vector<std::byte>& bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw std::runtime_error("cannot write " + path.string());
}

// Changes one byte of a file in its place.
inline void overwrite_byte(const std::filesystem::path& path, std::size_t offset, std::byte value) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(offset));
  file.put(static_cast<char>(value));
  file.close();
  if (!file) throw std::runtime_error("cannot change " + path.string());
}

inline std::filesystem::perms permissions_of(const std::filesystem::path& path) {
  return std::filesystem::status(path).permissions();
}

}  // namespace fhe::test
