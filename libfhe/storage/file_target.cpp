// SPDX-License-Identifier: Apache-2.0
#include "libfhe/storage/file_target.hpp"

#include <cerrno>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/storage/temporary_file.hpp"

namespace fhe {

namespace {

namespace fs = std::filesystem;

// As many as the kernel follows.
constexpr int kMostLinks = 40;

Error no_file(const fs::path& name, std::string_view what) {
  return {ErrorCode::io,
          fmt::format("cannot write {}: {}; choose the name of a file", shown_target(name), what)};
}

// Whose entries are the open files of this process: /dev/fd and /dev/stdout lead there.
bool holds_descriptors(const fs::path& directory) {
  std::error_code failure;
  const fs::path real = fs::canonical(directory, failure);
  return !failure && real == fs::canonical("/proc/self/fd", failure) && !failure;
}

std::optional<int> descriptor_of(const fs::path& path) {
  const std::string number = path.filename().string();
  const char* const end = number.data() + number.size();
  int descriptor = -1;
  const auto parsed = std::from_chars(number.data(), end, descriptor);
  if (parsed.ec != std::errc() || parsed.ptr != end || !holds_descriptors(directory_of(path))) {
    return std::nullopt;
  }
  return descriptor;
}

// What a path without links at its end stands for.
FileTarget classified(const fs::path& name, const fs::path& path) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (is_directory(status)) throw no_file(name, "it is a directory, not a file");
  if (!path.has_filename()) throw no_file(name, "it names no file");
  if (!exists(status) || is_regular_file(status)) return {FileTarget::Kind::file, path};
  if (is_character_file(status) || is_fifo(status)) return {FileTarget::Kind::stream, path};
  throw no_file(name, "it is no regular file");
}

FileTarget followed(const fs::path& name) {
  fs::path path = name;
  for (int links = 0; links <= kMostLinks; ++links) {
    if (const auto descriptor = descriptor_of(path)) {
      return {FileTarget::Kind::descriptor, path, *descriptor};
    }
    std::error_code failure;
    if (!is_symlink(fs::symlink_status(path, failure))) return classified(name, path);
    const fs::path next = fs::read_symlink(path, failure);
    if (failure) throw no_file(name, failure.message());
    path = directory_of(path) / next;  // `next` alone when it is absolute
  }
  throw no_file(name, "its links go in circles");
}

}  // namespace

fs::path directory_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : ".";
}

int sync_directory(const fs::path& directory) {
  const Descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.is_open()) return errno == EACCES ? 0 : errno;
  const int reason = sync_file(opened.number());
  return reason == EINVAL ? 0 : reason;
}

FileTarget resolve_target(const fs::path& name, FileAccess access) {
  FileTarget target = followed(name);
  if (access == FileAccess::everyone) return target;
  std::error_code failure;
  if (is_symlink(fs::symlink_status(name, failure))) {
    throw no_file(name, "it is a link, and a secret is not written through one");
  }
  if (target.kind != FileTarget::Kind::file) {
    throw no_file(name, "it is no regular file, and a secret is written to nothing else");
  }
  return target;
}

}  // namespace fhe
