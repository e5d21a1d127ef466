#include "libfhe/wire/atomic_file.hpp"

#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libfhe/error.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/wire/digest.hpp"

namespace fhe {

namespace {

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
    default:
      return "choose another directory, or check the disk";
  }
}

// `reason` is the system's error number.
Error write_error(const std::filesystem::path& target, int reason) {
  return {ErrorCode::io, fmt::format("cannot write '{}': {}; {}", target.string(),
                                     std::system_category().message(reason), advice(reason))};
}

// Renaming over a device or a pipe would quietly turn it into a file.
void require_replaceable(const std::filesystem::path& target) {
  std::error_code failure;
  const auto status = std::filesystem::status(target, failure);
  if (target.has_filename() && (!exists(status) || is_regular_file(status))) return;
  throw Error(
      ErrorCode::io,
      fmt::format("cannot write '{}': it is {}, not a file; choose the name of a file",
                  target.string(), is_directory(status) ? "a directory" : "no regular file"));
}

std::filesystem::path directory_of(const std::filesystem::path& target) {
  return target.has_parent_path() ? target.parent_path() : ".";
}

std::filesystem::path temporary_beside(const std::filesystem::path& target) {
  std::array<std::byte, 8> random;
  fill_public(random);
  // File names end at 255 bytes on the usual systems; the random part alone makes the name unique.
  constexpr std::size_t kMaxNameBytes = 200;
  const std::string name = target.filename().string().substr(0, kMaxNameBytes);
  return directory_of(target) / fmt::format(".{}.{}.tmp", name, to_hex(random));
}

// Calls `transfer` on what is left until all of it is done. Returns 0 or the error number.
template <class Transfer>
int transfer_all(std::span<const std::byte> bytes, const Transfer& transfer) {
  while (!bytes.empty()) {
    const ::ssize_t done = transfer(bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
  return 0;
}

int sync(int descriptor) {
  while (::fsync(descriptor) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

// Makes the renaming itself durable. Some file systems cannot, and say so by EINVAL; a directory
// that may be written but not read cannot be opened for it.
int sync_directory(const std::filesystem::path& directory) {
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno == EACCES ? 0 : errno;
  const int reason = sync(descriptor);
  ::close(descriptor);
  return reason == EINVAL ? 0 : reason;
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path target, FileAccess access)
    : target_(std::move(target)) {
  require_replaceable(target_);
  temporary_ = temporary_beside(target_);
  const ::mode_t mode = access == FileAccess::owner_only ? 0600 : 0666;
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (descriptor_ < 0) throw write_error(target_, errno);
}

AtomicFile::~AtomicFile() {
  discard();
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

void AtomicFile::discard() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

// `reason` is 0 or the system's error number.
void AtomicFile::succeed_or_discard(int reason) {
  if (reason == 0) return;
  discard();
  throw write_error(target_, reason);
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  succeed_or_discard(transfer_all(bytes, [this](std::span<const std::byte> rest) {
    return ::write(descriptor_, rest.data(), rest.size());
  }));
}

void AtomicFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  const auto end = static_cast<::off_t>(offset + bytes.size());
  succeed_or_discard(transfer_all(bytes, [this, end](std::span<const std::byte> rest) {
    return ::pwrite(descriptor_, rest.data(), rest.size(), end - static_cast<::off_t>(rest.size()));
  }));
}

void AtomicFile::flush() {
  succeed_or_discard(sync(descriptor_));
}

void AtomicFile::commit() {
  flush();
  succeed_or_discard(::close(std::exchange(descriptor_, -1)) == 0 ? 0 : errno);
  succeed_or_discard(::rename(temporary_.c_str(), target_.c_str()) == 0 ? 0 : errno);
  temporary_.clear();
  if (const int reason = sync_directory(directory_of(target_)); reason != 0) {
    throw Error(ErrorCode::io,
                fmt::format("'{}' is written, but its directory could not be flushed to the disk: "
                            "{}; check the disk",
                            target_.string(), std::system_category().message(reason)));
  }
}

}  // namespace fhe
