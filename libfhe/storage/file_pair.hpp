// SPDX-License-Identifier: Apache-2.0
// Two files of one directory that are replaced in one step. Not installed.
//
// No system renames two files at once. So the whole new files, under their temporary names, are
// flushed to the disk first, then a record `.fhe-pair` that lists both renamings is given its name:
// that is the one step. From then on the new pair counts. The renamings follow, at once or, when
// the process is killed, by the next one of the same user that touches the directory; then the
// record goes. It is locked by who works on it, and nobody follows the record of another user.
//
// Record: the line `fhe-pair 1`, then four names without directory, each ended by a zero byte: a
// temporary file and the file that it becomes, twice.
#pragma once

#include <filesystem>
#include <vector>

#include "libfhe/storage/temporary_file.hpp"

namespace fhe {

struct PendingFile {
  TemporaryFile& temporary;      // all written and flushed
  std::filesystem::path target;  // a path without links at its end
};

// Gives both files their names, that of `first` first. Errors, after which both older files are as
// before unless the message says otherwise: Error(io); Error(invalid_argument) for files of two
// directories or of one name.
void commit_pair(const PendingFile& first, const PendingFile& second);

// Whether a replacement is under way, or was when its process was killed.
[[nodiscard]] bool has_pending_pair(const std::filesystem::path& directory);

// Ends a replacement that a killed process has begun, and returns the files that got their names;
// waits for one that is under way. Nothing, in the time of one failing call, where there is none.
// Throws Error(io) where the directory cannot be written to or the disk fails, and
// Error(malformed_file) for a record that commit_pair() did not write.
std::vector<std::filesystem::path> finish_pair(const std::filesystem::path& directory);

}  // namespace fhe
