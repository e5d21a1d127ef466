#include "apps/cli/files.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "libfhe/error.hpp"
#include "libfhe/wire/container.hpp"

namespace fhe::cli {

namespace {

namespace fs = std::filesystem;

// Whether the file is a public or secret key; other files, whatever they are, are not.
bool holds_key(const fs::path& path) {
  try {
    return ContainerReader(path).header().kind != ObjectKind::ciphertexts;
  } catch (const Error&) {
    return false;
  }
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
  if (!path.has_filename()) {
    throw Error(ErrorCode::io, fmt::format("cannot write to '{}': no file name", path.string()));
  }
  require_writable_directory(path.has_parent_path() ? path.parent_path() : fs::path("."));
  require_replaceable(path);
  if (holds_key(path)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} is a key; give --out the name of another file", path.string()));
  }
}

}  // namespace fhe::cli
