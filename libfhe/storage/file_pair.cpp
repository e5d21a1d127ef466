// SPDX-License-Identifier: Apache-2.0
#include "libfhe/storage/file_pair.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libfhe/storage/file_target.hpp"

namespace fhe {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRecordName = ".fhe-pair";
constexpr std::string_view kHeading = "fhe-pair 1\n";
constexpr std::size_t kLongestName = 255;
constexpr std::size_t kLongestRecord = kHeading.size() + 4 * (kLongestName + 1);
constexpr ::mode_t kRecordMode = 0600;
constexpr int kAttempts = 100;

// A renaming inside a directory.
struct Move {
  std::string from;
  std::string to;
};
using Moves = std::array<Move, 2>;

std::string reason_text(int reason) {
  return std::system_category().message(reason);
}

Error unfinished(const fs::path& directory, int reason) {
  return {ErrorCode::io,
          fmt::format("the new pair of files in '{}' is complete, but not yet under its names: {}; "
                      "the next command that uses it will finish that, once the directory can be "
                      "written to",
                      directory.string(), reason_text(reason))};
}

std::string encoded(const Moves& moves) {
  std::string text(kHeading);
  for (const Move& move : moves) {
    for (const std::string& name : {move.from, move.to}) text.append(name).push_back('\0');
  }
  return text;
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos;
}

// Nothing for a text that encoded() does not give.
std::optional<Moves> decoded(std::string_view text) {
  if (!text.starts_with(kHeading)) return std::nullopt;
  text.remove_prefix(kHeading.size());
  Moves moves;
  for (Move& move : moves) {
    for (std::string* const name : {&move.from, &move.to}) {
      const std::size_t end = text.find('\0');
      if (end == std::string_view::npos) return std::nullopt;
      *name = text.substr(0, end);
      text.remove_prefix(end + 1);
    }
    if (!is_temporary_name(move.from) || !is_plain_name(move.from) || !is_plain_name(move.to)) {
      return std::nullopt;
    }
  }
  return text.empty() ? std::optional(moves) : std::nullopt;
}

Moves read_record(int descriptor, const fs::path& name) {
  std::string text(kLongestRecord + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ::ssize_t count =
        ::pread(descriptor, text.data() + size, text.size() - size, static_cast<::off_t>(size));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    size += static_cast<std::size_t>(count);
  }
  text.resize(size);
  if (const auto moves = decoded(text)) return *moves;
  throw Error(ErrorCode::malformed_file,
              fmt::format("'{}' is not the record of a replacement of two files: no file of this "
                          "directory is used while it is there; remove it if it is not yours",
                          name.string()));
}

// Returns 0 or the system's error number.
int rename_in(const fs::path& directory, const Move& move) {
  const int failure = ::rename((directory / move.from).c_str(), (directory / move.to).c_str());
  return failure == 0 ? 0 : errno;
}

// Once both renamings are done: makes them durable before the record goes.
void remove_record(const fs::path& directory) {
  int reason = sync_directory(directory);
  if (reason == 0 && ::unlink((directory / kRecordName).c_str()) != 0) reason = errno;
  if (reason == 0) reason = sync_directory(directory);
  if (reason == 0) return;
  throw Error(ErrorCode::io,
              fmt::format("the new pair of files in '{}' is in place, but its record '{}' could "
                          "not be removed for good: {}; the next command will try again",
                          directory.string(), kRecordName, reason_text(reason)));
}

Moves moves_of(const PendingFile& first, const PendingFile& second) {
  const auto move = [](const PendingFile& file) {
    return Move{file.temporary.path().filename().string(), file.target.filename().string()};
  };
  return {move(first), move(second)};
}

// The directory of both.
fs::path common_directory(const PendingFile& first, const PendingFile& second) {
  fs::path directory = directory_of(first.target);
  std::error_code failure;
  const bool same = fs::equivalent(directory, directory_of(second.target), failure);
  if (failure) throw write_error(first.target, failure.value());
  if (same && first.target.filename() != second.target.filename()) return directory;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("'{}' and '{}' must be two names in one directory: only there can the "
                          "files be replaced in one step",
                          first.target.string(), second.target.string()));
}

// The record, under its name and on the disk: the step. On an error there is none.
TemporaryFile record_of(const fs::path& directory, const Moves& moves) {
  const fs::path name = directory / kRecordName;
  const std::string text = encoded(moves);
  TemporaryFile record(name, kRecordMode);
  int reason = write_all(record.descriptor(), std::as_bytes(std::span(text)));
  if (reason == 0) reason = sync_file(record.descriptor());
  // The temporary names must be durable before a record of them can be.
  if (reason == 0) reason = sync_directory(directory);
  if (reason == 0) reason = record.rename_to(name, RENAME_NOREPLACE);
  for (int attempt = 0; reason == EEXIST && attempt < kAttempts; ++attempt) {
    finish_pair(directory);  // another process was there first
    reason = record.rename_to(name, RENAME_NOREPLACE);
  }
  // A file system that knows no such renaming: the record of another process could be lost there.
  if (reason == EINVAL || reason == ENOSYS) reason = record.rename_to(name);
  if (reason != 0) throw write_error(name, reason);
  reason = sync_directory(directory);
  if (reason == 0) return record;
  ::unlink(name.c_str());
  throw write_error(name, reason);
}

// The record that a process of this user has written; none where there is none of that kind.
// Somebody else's must not decide what happens to this user's files.
Descriptor own_record(const fs::path& directory) {
  const fs::path name = directory / kRecordName;
  struct stat status {};
  if (::lstat(name.c_str(), &status) != 0) {
    if (errno == EIO) throw unfinished(directory, errno);
    return Descriptor();
  }
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) return Descriptor();
  // For writing, because some file systems lock no other files.
  Descriptor record(::open(name.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  if (record.is_open() || errno == ENOENT) return record;
  throw unfinished(directory, errno);
}

}  // namespace

void commit_pair(const PendingFile& first, const PendingFile& second) {
  const fs::path directory = common_directory(first, second);
  const Moves moves = moves_of(first, second);
  finish_pair(directory);
  const TemporaryFile record = record_of(directory, moves);
  int reason = rename_in(directory, moves[0]);
  if (reason != 0 && ::unlink((directory / kRecordName).c_str()) == 0) {
    throw write_error(first.target, reason);  // undone: nothing had changed but for the record
  }
  first.temporary.release();
  second.temporary.release();
  if (reason == 0) reason = rename_in(directory, moves[1]);
  if (reason != 0) throw unfinished(directory, reason);
  remove_record(directory);
}

bool has_pending_pair(const fs::path& directory) {
  struct stat status {};
  return ::lstat((directory / kRecordName).c_str(), &status) == 0;
}

std::vector<fs::path> finish_pair(const fs::path& directory) {
  const Descriptor record = own_record(directory);
  if (!record.is_open()) return {};
  lock_file(record.number());
  if (!has_name(record.number())) return {};  // its own process was faster
  std::vector<fs::path> finished;
  for (const Move& move : read_record(record.number(), directory / kRecordName)) {
    const int reason = rename_in(directory, move);
    if (reason == 0) finished.push_back(directory / move.to);
    if (reason != 0 && reason != ENOENT) throw unfinished(directory, reason);  // else: done before
  }
  remove_record(directory);
  return finished;
}

}  // namespace fhe
