// SPDX-License-Identifier: Apache-2.0
#include "libfhe/storage/temporary_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libfhe/random/secret_random.hpp"
#include "libfhe/storage/digest.hpp"
#include "libfhe/storage/file_target.hpp"

namespace fhe {

namespace {

constexpr std::size_t kRandomBytes = 8;
constexpr std::string_view kSuffix = ".tmp";

std::string_view advice(int reason) {
  switch (reason) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "free some space, raise the quota, or choose another directory";
    case ENOENT:
    case ENOTDIR:
      return "create the directory first, or choose another one";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a directory that you may write to";
    case EPIPE:
      return "whoever was to read it has ended";
    default:
      return "choose another directory, or check the disk";
  }
}

std::filesystem::path temporary_beside(const std::filesystem::path& target) {
  std::array<std::byte, kRandomBytes> random;
  fill_public(random);
  // File names end at 255 bytes on the usual systems; the random part alone makes the name unique.
  constexpr std::size_t kMaxNameBytes = 200;
  const std::string name = target.filename().string().substr(0, kMaxNameBytes);
  return directory_of(target) / fmt::format(".{}.{}{}", name, to_hex(random), kSuffix);
}

bool is_hexadecimal(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

}  // namespace

std::string shown_target(const std::filesystem::path& name) {
  const auto is_it = [&](const char* other) { return name == other; };
  constexpr std::array kNames{"/proc/self/fd/1", "/dev/fd/1", "/dev/stdout"};
  return std::ranges::any_of(kNames, is_it) ? "standard output"
                                            : fmt::format("'{}'", name.string());
}

Error write_error(const std::filesystem::path& target, int reason) {
  return {ErrorCode::io, fmt::format("cannot write {}: {}; {}", shown_target(target),
                                     std::system_category().message(reason), advice(reason))};
}

int write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ::ssize_t done = ::write(descriptor, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
  return 0;
}

int sync_file(int descriptor) {
  while (::fsync(descriptor) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

void lock_file(int descriptor) {
  while (::flock(descriptor, LOCK_EX) != 0 && errno == EINTR) {
  }
}

bool has_name(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) != 0 || status.st_nlink > 0;
}

Descriptor::~Descriptor() {
  if (is_open()) ::close(number_);
}

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

TemporaryFile::TemporaryFile(const std::filesystem::path& target, ::mode_t mode) {
  do {
    path_ = temporary_beside(target);
    // From here on nothing may throw: nobody would remove the file.
    file_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!file_.is_open()) throw write_error(target, errno);
    lock_file(descriptor());
    // Somebody who clears leftovers away may have been there before the lock: once more then.
  } while (!has_name(descriptor()));
}

TemporaryFile TemporaryFile::without_name(const std::filesystem::path& target) {
  std::error_code failure;
  const std::filesystem::path directory = std::filesystem::temp_directory_path(failure);
  Descriptor file(::open(directory.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600));
  if (!file.is_open()) file = Descriptor(::memfd_create("fhe", MFD_CLOEXEC));
  if (!file.is_open()) throw write_error(target, errno);
  return TemporaryFile(std::move(file));
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : path_(std::exchange(other.path_, {})), file_(std::move(other.file_)) {}

int TemporaryFile::rename_to(const std::filesystem::path& target, unsigned flags) {
  const int failure = flags == 0
                          ? ::rename(path_.c_str(), target.c_str())
                          : ::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target.c_str(), flags);
  if (failure != 0) return errno;
  path_.clear();
  return 0;
}

void TemporaryFile::discard() noexcept {
  if (!path_.empty()) ::unlink(path_.c_str());
  path_.clear();
  file_ = Descriptor();
}

bool is_temporary_name(std::string_view name) {
  constexpr std::size_t kRandomDigits = 2 * kRandomBytes;
  if (!name.starts_with('.') || !name.ends_with(kSuffix)) return false;
  name.remove_suffix(kSuffix.size());
  if (name.size() < kRandomDigits + 2) return false;
  const std::string_view random = name.substr(name.size() - kRandomDigits);
  return name[name.size() - kRandomDigits - 1] == '.' &&
         std::ranges::all_of(random, is_hexadecimal);
}

}  // namespace fhe
