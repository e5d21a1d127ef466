// SPDX-License-Identifier: Apache-2.0
// Checks on the files of a command that are worth making before hours of work.
#pragma once

#include <filesystem>
#include <string>

namespace fhe::apps {

// Makes sure, as far as can be known in advance, that ciphertexts can be written to `name`, and
// returns the path to write to: `-` is standard output. Clears leftovers beside it. Throws
// Error(io) when its directory is missing or not writable or when it is nothing to write to
// (resolve_target), Error(invalid_argument) when it is a key: keys are never overwritten by
// ciphertexts.
std::filesystem::path require_ciphertext_output(const std::string& name);

// Whether what is written to `path` goes to standard output.
bool is_standard_output(const std::filesystem::path& path);

// Completes or removes what killed processes have left in the directory of `file`
// (libfhe/storage/leftovers.hpp), and says so on standard error.
void clear_leftovers_beside(const std::filesystem::path& file);

// Makes sure that checkpoints can be written to `path`, and that none is lost: throws as above, and
// Error(invalid_argument) for a file that is there unless the run is to `resume` from it.
void require_checkpoint_file(const std::filesystem::path& path, bool resume);

// Throws Error(io) unless `directory` is one that files can be made in.
void require_writable_directory(const std::filesystem::path& directory);

// Makes sure that a key can be written to `path`: throws Error(io) when it is a link or anything
// else but a regular file.
void require_key_file(const std::filesystem::path& path);

}  // namespace fhe::apps
