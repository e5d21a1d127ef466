// SPDX-License-Identifier: Apache-2.0
#include "libfhe/storage/atomic_file.hpp"

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "libfhe/error.hpp"
#include "libfhe/storage/file_pair.hpp"
#include "libfhe/storage/temporary_file.hpp"

namespace fhe {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;

std::unique_ptr<TemporaryFile> temporary_for(const FileTarget& found,
                                             const std::filesystem::path& target,
                                             FileAccess access) {
  if (found.kind != FileTarget::Kind::file) {
    return std::make_unique<TemporaryFile>(TemporaryFile::without_name(target));
  }
  const ::mode_t mode = access == FileAccess::owner_only ? 0600 : 0666;
  return std::make_unique<TemporaryFile>(found.path, mode);
}

// Writes `bytes` at `offset`. Returns 0 or the system's error number.
int write_all_at(int descriptor, std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ::ssize_t done =
        ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<::off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    offset += static_cast<std::uint64_t>(done);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
  return 0;
}

// All of one file into another. Returns 0 or the system's error number.
int copy_all(int from, int to) {
  std::array<std::byte, kPiece> piece;
  for (::off_t offset = 0;;) {
    const ::ssize_t count = ::pread(from, piece.data(), piece.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) return 0;
    const int reason = write_all(to, std::span(piece).first(static_cast<std::size_t>(count)));
    if (reason != 0) return reason;
    offset += count;
  }
}

Descriptor opened(const FileTarget& found) {
  if (found.kind == FileTarget::Kind::descriptor) {
    return Descriptor(::fcntl(found.descriptor, F_DUPFD_CLOEXEC, 0));
  }
  return Descriptor(::open(found.path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path target, FileAccess access)
    : target_(std::move(target)),
      found_(resolve_target(target_, access)),
      temporary_(temporary_for(found_, target_, access)) {}

AtomicFile::~AtomicFile() = default;
AtomicFile::AtomicFile(AtomicFile&& other) noexcept = default;

int AtomicFile::descriptor() const {
  return temporary_ == nullptr ? -1 : temporary_->descriptor();
}

void AtomicFile::discard() noexcept {
  temporary_.reset();
}

// `reason` is 0 or the system's error number.
void AtomicFile::succeed_or_discard(int reason) {
  if (reason == 0) return;
  discard();
  throw write_error(target_, reason);
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  succeed_or_discard(write_all(descriptor(), bytes));
}

void AtomicFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  succeed_or_discard(write_all_at(descriptor(), offset, bytes));
}

void AtomicFile::flush() {
  const bool on_disk = found_.kind == FileTarget::Kind::file;
  succeed_or_discard(on_disk || temporary_ == nullptr ? sync_file(descriptor()) : 0);
}

void AtomicFile::commit() {
  flush();
  if (found_.kind == FileTarget::Kind::file) {
    replace();
    discard();
  } else {
    pour_out();
  }
}

void AtomicFile::commit_growing() {
  require_regular();
  flush();
  replace();
}

void AtomicFile::replace() {
  succeed_or_discard(temporary_->rename_to(found_.path));
  if (const int reason = sync_directory(directory_of(found_.path)); reason != 0) {
    throw Error(ErrorCode::io,
                fmt::format("'{}' is written, but its directory could not be flushed to the disk: "
                            "{}; check the disk",
                            target_.string(), std::system_category().message(reason)));
  }
}

void AtomicFile::pour_out() {
  const Descriptor out = opened(found_);
  succeed_or_discard(out.is_open() ? copy_all(descriptor(), out.number()) : errno);
  discard();
}

void AtomicFile::require_regular() const {
  if (found_.kind == FileTarget::Kind::file) return;
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("{} is no regular file, and this is saved into nothing else; choose the name "
                  "of a file",
                  shown_target(target_)));
}

void AtomicFile::commit_pair(AtomicFile first, AtomicFile second) {
  first.require_regular();
  second.require_regular();
  first.flush();
  second.flush();
  fhe::commit_pair({.temporary = *first.temporary_, .target = first.found_.path},
                   {.temporary = *second.temporary_, .target = second.found_.path});
}

}  // namespace fhe
