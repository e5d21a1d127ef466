// SPDX-License-Identifier: Apache-2.0
#include "apps/outsource/input_file.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libfhe/error.hpp"

namespace fhe::outsource {

namespace fs = std::filesystem;

namespace {

Error unreadable(const fs::path& path, const std::string& reason) {
  return {ErrorCode::io, fmt::format("cannot read '{}': {}; check the permissions and the disk",
                                     path.string(), reason)};
}

Error unreadable(const fs::path& path, int reason) {
  return unreadable(path, std::system_category().message(reason));
}

}  // namespace

InputFile::InputFile(fs::path path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor) {}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

// Without O_NONBLOCK a pipe would wait for its writer.
std::optional<InputFile> InputFile::open(const fs::path& path) {
  InputFile file(path, ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (file.descriptor_ < 0 && errno == ENOENT) return std::nullopt;
  struct stat status {};
  if (file.descriptor_ < 0 || ::fstat(file.descriptor_, &status) != 0) {
    throw unreadable(path, errno);
  }
  if (!S_ISREG(status.st_mode)) throw unreadable(path, "it is no regular file");
  file.bytes_ = static_cast<std::uint64_t>(status.st_size);
  return file;
}

void InputFile::read(std::span<char> out) {
  while (!out.empty()) {
    const ssize_t count = ::read(descriptor_, out.data(), out.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw unreadable(path_, errno);
    if (count == 0) throw unreadable(path_, "it became shorter meanwhile");
    out = out.subspan(static_cast<std::size_t>(count));
  }
}

std::optional<std::string> contents_if_any(const fs::path& path) {
  std::optional<InputFile> file = InputFile::open(path);
  if (!file) return std::nullopt;
  std::string text(file->bytes(), '\0');
  file->read(text);
  return text;
}

std::string contents_of(const fs::path& path) {
  if (std::optional<std::string> text = contents_if_any(path)) return *std::move(text);
  throw unreadable(path, ENOENT);
}

}  // namespace fhe::outsource
