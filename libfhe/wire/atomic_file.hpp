// Files that are there whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "libfhe/wire/file_target.hpp"

namespace fhe {

class TemporaryFile;

// Writes a temporary file `.<name>.<random>.tmp` beside the target; commit() flushes it to the disk
// and renames it over the target. Without a commit, and at the first error before the renaming, the
// temporary is removed and the target is as before; only a process that is killed leaves the
// temporary behind, for clear_leftovers() to find. After an error every further call fails too.
//
// A target that is a symbolic link is followed: the file that it leads to is the one that is
// replaced, in its own directory. Into a device, a pipe or an open file of the process
// (/dev/stdout) everything is written at the commit; until then it is kept in a file without a
// name. Files for the owner only are regular files that no link leads to, see resolve_target().
//
// One thread at a time. All functions throw Error(io) with the path and the system's reason (no
// such directory, permission, disk full, ...).
class AtomicFile {
 public:
  // Creates the temporary. Throws at once when the directory is missing or not writable, and when
  // the target cannot be written to.
  AtomicFile(std::filesystem::path target, FileAccess access);
  ~AtomicFile();
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;

  // Appends bytes.
  void write(std::span<const std::byte> bytes);

  // Overwrites bytes that were written before; the end of the file does not move.
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);

  // Waits until everything that was written is on the disk. What can fail for want of space fails
  // here at the latest, not in commit(), unless the target is a device or a pipe.
  void flush();

  // Makes the file durable and visible under its name, replacing an older one. Nothing may be
  // written after it.
  void commit();

  // Commits two files of one directory in one step (file_pair.hpp says how). On an error older
  // files of both names are as before, unless the message says otherwise. Throws
  // Error(invalid_argument), and changes nothing, unless both are regular files of one directory.
  static void commit_pair(AtomicFile first, AtomicFile second);

  // As it was named.
  [[nodiscard]] const std::filesystem::path& target() const { return target_; }

 private:
  [[nodiscard]] int descriptor() const;
  void discard() noexcept;
  void succeed_or_discard(int reason);
  void replace();
  void pour_out();

  std::filesystem::path target_;
  FileTarget found_;
  std::unique_ptr<TemporaryFile> temporary_;  // without a name unless the target is a file
};

}  // namespace fhe
