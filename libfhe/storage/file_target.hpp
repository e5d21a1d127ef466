// SPDX-License-Identifier: Apache-2.0
// What the name of an output stands for: a file, or something to write into.
#pragma once

#include <filesystem>

#include "libfhe/export.hpp"

namespace fhe {

// Who may read a new file.
enum class FileAccess {
  everyone,    // mode 0666, less the process's umask
  owner_only,  // mode 0600, less the process's umask: for secret keys
};

// What resolve_target() finds.
struct FHE_EXPORT FileTarget {
  // How it is written to.
  enum class Kind {
    file,        // a regular file that exists or can be made: `path`, links followed
    stream,      // a character device or a pipe: `path`, opened when all is ready to be written
    descriptor,  // an open file of this process, such as /dev/stdout or /dev/fd/63: `descriptor`
  };

  Kind kind = Kind::file;      // which of the others counts
  std::filesystem::path path;  // for `file` and `stream`
  int descriptor = -1;         // for `descriptor`
};

// Finds what `name` leads to. With owner_only it must be a regular file under its own name: a
// secret goes neither through a link, which may lead out of its owner's directory, nor into a
// device or a pipe. Looks at the file system and changes nothing. Throws Error(io), with the path
// and the reason, for a name that nothing can be written to, such as that of a directory, a socket
// or a block device.
[[nodiscard]] FHE_EXPORT FileTarget resolve_target(const std::filesystem::path& name,
                                                   FileAccess access);

// The directory that a file is in: "." for a name without one.
[[nodiscard]] FHE_EXPORT std::filesystem::path directory_of(const std::filesystem::path& file);

// Makes the names in a directory durable; returns 0 or the system's error number. That some file
// systems cannot do this is no error; nor is a directory that may be written but not read, and so
// cannot be opened.
[[nodiscard]] FHE_EXPORT int sync_directory(const std::filesystem::path& directory);

}  // namespace fhe
