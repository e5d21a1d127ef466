// SPDX-License-Identifier: Apache-2.0
// What killed processes have left among the files of a directory.
#pragma once

#include <filesystem>
#include <vector>

#include "libfhe/export.hpp"

namespace fhe {

// What clear_leftovers() did.
struct FHE_EXPORT Leftovers {
  std::vector<std::filesystem::path> completed;  // files of a pair that got their names
  std::vector<std::filesystem::path> removed;    // temporary files
  std::vector<std::filesystem::path> stuck;      // temporary files that could not be removed
};

// Completes the replacement of a pair of keys that was interrupted after its decisive step, and
// removes the temporary files `.NAME.RANDOM.tmp` (AtomicFile; RANDOM is 16 hexadecimal digits) that
// no running process has locked; unfinished secret keys are among them. On file systems without
// locks no temporary file is removed, nor in a directory that cannot be listed. Any number of
// processes and threads may do this, and write files, at the same time. Throws Error(io) or
// Error(malformed_file) when the replacement cannot be completed.
FHE_EXPORT Leftovers clear_leftovers(const std::filesystem::path& directory);

}  // namespace fhe
