// SPDX-License-Identifier: Apache-2.0
#include "apps/support/file_checks.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "libfhe/error.hpp"
#include "libfhe/storage/container.hpp"
#include "libfhe/storage/leftovers.hpp"

namespace fhe::apps {

namespace {

namespace fs = std::filesystem;

// The kind of object that a file of any size holds; none where there is no file or another one. One
// that cannot be read may hold anything: Error.
std::optional<ObjectKind> kind_of(const fs::path& path) {
  constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
  std::error_code failure;
  if (fs::status(path, failure).type() == fs::file_type::not_found) return std::nullopt;
  try {
    return ContainerReader(path, {.max_file_bytes = kAny}).header().kind;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::malformed_file) return std::nullopt;
    throw;
  }
}

std::string text_of(const std::vector<fs::path>& files) {
  std::vector<std::string> names;
  names.reserve(files.size());
  for (const fs::path& file : files) names.push_back(file.string());
  return fmt::format("{}", fmt::join(names, ", "));
}

// Where files are made: their directory can be written to, and nothing old is in the way there.
void prepare_directory_of(const fs::path& file) {
  require_writable_directory(directory_of(file));
  clear_leftovers_beside(file);
}

}  // namespace

void require_writable_directory(const fs::path& directory) {
  std::error_code ignored;
  if (!fs::exists(directory, ignored)) {
    throw Error(ErrorCode::io, fmt::format("there is no directory {}", directory.string()));
  }
  if (!fs::is_directory(directory, ignored)) {
    throw Error(ErrorCode::io, fmt::format("{} is not a directory", directory.string()));
  }
  if (access(directory.c_str(), W_OK | X_OK) != 0) {
    throw Error(ErrorCode::io, fmt::format("cannot make files in the directory {}: {}",
                                           directory.string(), std::strerror(errno)));
  }
}

void require_key_file(const fs::path& path) {
  std::error_code failure;
  if (fs::is_symlink(fs::symlink_status(path, failure))) {
    throw Error(ErrorCode::io,
                fmt::format("{} is a link, and keys are replaced in their own directory: remove "
                            "it, or give --out the directory that it leads to",
                            path.string()));
  }
  static_cast<void>(resolve_target(path, FileAccess::owner_only));
}

bool is_standard_output(const fs::path& path) {
  const FileTarget target = resolve_target(path, FileAccess::everyone);
  return target.kind == FileTarget::Kind::descriptor && target.descriptor == STDOUT_FILENO;
}

void clear_leftovers_beside(const fs::path& file) {
  const Leftovers leftovers = clear_leftovers(directory_of(file));
  if (!leftovers.completed.empty()) {
    spdlog::warn("a replacement of keys had been interrupted; completed it: {}",
                 text_of(leftovers.completed));
  }
  if (!leftovers.removed.empty()) {
    spdlog::warn("removed what interrupted runs had left: {}", text_of(leftovers.removed));
  }
  if (!leftovers.stuck.empty()) {
    spdlog::warn("an interrupted run has left what could not be removed: {}; remove it yourself",
                 text_of(leftovers.stuck));
  }
}

fs::path require_ciphertext_output(const std::string& name) {
  fs::path path = name == "-" ? "/proc/self/fd/1" : name;
  const FileTarget target = resolve_target(path, FileAccess::everyone);
  if (target.kind != FileTarget::Kind::file) return path;
  prepare_directory_of(target.path);
  const std::optional<ObjectKind> kind = kind_of(path);
  if (kind == ObjectKind::public_key || kind == ObjectKind::secret_key) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} is a key; give --out the name of another file", path.string()));
  }
  return path;
}

void require_checkpoint_file(const fs::path& path, bool resume) {
  const FileTarget target = resolve_target(path, FileAccess::everyone);
  if (target.kind != FileTarget::Kind::file) {
    throw Error(ErrorCode::io,
                fmt::format("cannot write checkpoints to '{}': it is no regular file, and a run "
                            "could not go on from it",
                            path.string()));
  }
  prepare_directory_of(target.path);
  std::error_code ignored;
  if (resume || !fs::exists(path, ignored)) return;
  throw Error(
      ErrorCode::invalid_argument,
      kind_of(path) == ObjectKind::checkpoint
          ? fmt::format("{} is the checkpoint of a run that was not completed: go on from it "
                        "with --resume, or remove it",
                        path.string())
          : fmt::format("{} is there and is no checkpoint; give --checkpoint the name of "
                        "another file",
                        path.string()));
}

}  // namespace fhe::apps
