#include "apps/cli/files.hpp"

#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "libfhe/error.hpp"
#include "libfhe/wire/container.hpp"

namespace fhe::cli {

namespace {

namespace fs = std::filesystem;

// The kind of object that a file holds; none for other files, whatever they are.
std::optional<ObjectKind> kind_of(const fs::path& path) {
  try {
    return ContainerReader(path).header().kind;
  } catch (const Error&) {
    return std::nullopt;
  }
}

void require_file_can_be_made(const fs::path& path) {
  if (!path.has_filename()) {
    throw Error(ErrorCode::io, fmt::format("cannot write to '{}': no file name", path.string()));
  }
  require_writable_directory(path.has_parent_path() ? path.parent_path() : fs::path("."));
  require_replaceable(path);
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

void require_replaceable(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (!fs::exists(status) || fs::is_regular_file(status)) return;
  throw Error(ErrorCode::io,
              fmt::format("cannot write to {}: it is {}", path.string(),
                          fs::is_directory(status) ? "a directory" : "not a regular file"));
}

void require_ciphertext_output(const fs::path& path) {
  require_file_can_be_made(path);
  const std::optional<ObjectKind> kind = kind_of(path);
  if (kind == ObjectKind::public_key || kind == ObjectKind::secret_key) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} is a key; give --out the name of another file", path.string()));
  }
}

void require_checkpoint_file(const fs::path& path, bool resume) {
  require_file_can_be_made(path);
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

}  // namespace fhe::cli
