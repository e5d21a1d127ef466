// SPDX-License-Identifier: Apache-2.0
// Files that are there whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "libfhe/export.hpp"
#include "libfhe/storage/file_target.hpp"

namespace fhe {

class TemporaryFile;

// Writes a temporary file `.NAME.RANDOM.tmp` beside the target; commit() flushes it to the disk and
// renames it over the target. Without a commit, and at the first error before the renaming, the
// temporary file is removed and the target is as before; only a process that is killed leaves it
// behind, for clear_leftovers() to find. After an error every further call fails too.
//
// If the target is a symbolic link, the file that it leads to is replaced, in its own directory. If
// it is a device, a pipe or an open file of the process (/dev/stdout), everything is written to it
// at the commit, and until then kept in a file without a name. A file for its owner only must be a
// regular file that is not reached through a link, see resolve_target().
//
// One thread at a time. All functions throw Error(io) with the path and the system's reason (no
// such directory, permission, disk full, ...).
class FHE_EXPORT AtomicFile {
 public:
  // Creates the temporary file. Throws at once when the directory is missing or not writable, or
  // when the target cannot be written to.
  AtomicFile(std::filesystem::path target, FileAccess access);
  ~AtomicFile();
  // May be moved, but not assigned.
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;

  // Appends bytes.
  void write(std::span<const std::byte> bytes);

  // Overwrites bytes that were written before; the end of the file does not move.
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);

  // Waits until everything that was written is on the disk. A lack of space shows here at the
  // latest, not in commit(), unless the target is a device or a pipe.
  void flush();

  // Makes the file durable and visible under its name, replacing an older one. Nothing may be
  // written after it.
  void commit();

  // The same for a file that grows: what is written afterwards goes behind what is there, and is on
  // the disk after the next flush(). After an error nothing more can be written, and the file may
  // end with a part of it. Throws Error(invalid_argument) for what is no regular file.
  void commit_growing();

  // Commits two files of one directory in one step (file_pair.hpp says how). On an error, older
  // files of both names are as before, unless the message says otherwise. Throws
  // Error(invalid_argument), and changes nothing, unless both are regular files of one directory.
  static void commit_pair(AtomicFile first, AtomicFile second);

  // The target, as it was named.
  [[nodiscard]] const std::filesystem::path& target() const { return target_; }

 private:
  [[nodiscard]] int descriptor() const;
  void discard() noexcept;
  void succeed_or_discard(int reason);
  void require_regular() const;
  void replace();
  void pour_out();

  std::filesystem::path target_;
  FileTarget found_;
  std::unique_ptr<TemporaryFile> temporary_;  // without a name unless the target is a file
};

}  // namespace fhe
