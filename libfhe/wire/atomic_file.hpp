// Files that are there whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace fhe {

// Who may read a new file.
enum class FileAccess {
  everyone,    // 0666 less the process's umask
  owner_only,  // 0600 less the process's umask: for secret keys
};

// Writes a temporary file `.<name>.<random>.tmp` beside the target; commit() flushes it to the disk
// and renames it over the target. Without a commit, and at the first error before the renaming, the
// temporary is removed and the target is as before; only a process that is killed leaves the
// temporary behind. After an error every further call fails too. A target that is a symbolic link
// is replaced, not followed. One thread at a time. All functions throw Error(io) with the path and
// the system's reason (no such directory, permission, disk full, ...).
class AtomicFile {
 public:
  // Creates the temporary. Throws at once when the directory is missing or not writable, and when
  // the target is there and is no regular file (a directory, a device, a pipe).
  AtomicFile(std::filesystem::path target, FileAccess access);
  ~AtomicFile();
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;

  // Appends bytes.
  void write(std::span<const std::byte> bytes);

  // Overwrites bytes that were written before; the end of the file does not move.
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);

  // Waits until everything that was written is on the disk. What can fail for want of space fails
  // here at the latest, not in commit().
  void flush();

  // Makes the file durable and visible under its name, replacing an older one. Nothing may be
  // written after it.
  void commit();

  [[nodiscard]] const std::filesystem::path& target() const { return target_; }

 private:
  void discard() noexcept;
  void succeed_or_discard(int reason);

  std::filesystem::path target_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
};

}  // namespace fhe
