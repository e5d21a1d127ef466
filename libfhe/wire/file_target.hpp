// What the name of an output stands for: a file, or something to write into.
#pragma once

#include <filesystem>

namespace fhe {

// Who may read a new file.
enum class FileAccess {
  everyone,    // 0666 less the process's umask
  owner_only,  // 0600 less the process's umask: for secret keys
};

struct FileTarget {
  enum class Kind {
    file,        // a regular file that is there, or that can be made: `path`, links followed
    stream,      // a character device or a pipe: `path`, to be opened when there is all to write
    descriptor,  // an open file of this process, as /dev/stdout or /dev/fd/63: `descriptor`
  };

  Kind kind = Kind::file;
  std::filesystem::path path;
  int descriptor = -1;
};

// Follows `name`. For the owner only there are but regular files under their own name: a secret
// goes neither through a link, which may lead out of its owner's directory, nor into a device or a
// pipe. Looks at the file system and changes nothing. Throws Error(io) with the path and the reason
// for a name that leads to no file, such as that of a directory, a socket or a block device.
[[nodiscard]] FileTarget resolve_target(const std::filesystem::path& name, FileAccess access);

// The directory that a file is in: "." for a mere name.
[[nodiscard]] std::filesystem::path directory_of(const std::filesystem::path& file);

// Makes the names in a directory durable; returns 0 or the system's error number. Some file systems
// cannot, which is no error; nor is a directory that may be written but not read, and so cannot be
// opened for it.
[[nodiscard]] int sync_directory(const std::filesystem::path& directory);

}  // namespace fhe
