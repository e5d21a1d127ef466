// Checks on the files of a command that are worth making before hours of work.
#pragma once

#include <filesystem>

namespace fhe::cli {

// Makes sure, as far as can be known in advance, that ciphertexts can be written to `path`. Throws
// Error(io) when its directory is missing or not writable or when it is there but not a regular
// file, Error(invalid_argument) when it is a key: keys are never overwritten by ciphertexts.
void require_ciphertext_output(const std::filesystem::path& path);

// Makes sure that checkpoints can be written to `path`, and that none is lost: throws as above, and
// Error(invalid_argument) for a file that is there unless the run is to `resume` from it.
void require_checkpoint_file(const std::filesystem::path& path, bool resume);

// Throws Error(io) unless `directory` is one that files can be made in.
void require_writable_directory(const std::filesystem::path& directory);

// Throws Error(io) when `path` is there but not a regular file, so that renaming a new file over
// it would fail or, for a device, replace it.
void require_replaceable(const std::filesystem::path& path);

}  // namespace fhe::cli
