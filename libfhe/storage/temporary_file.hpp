// SPDX-License-Identifier: Apache-2.0
// A file under a hidden name until it is whole. Not installed.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <sys/types.h>

#include "libfhe/error.hpp"

namespace fhe {

// How messages call what `name` leads to: "standard output", or the name in quotes.
std::string shown_target(const std::filesystem::path& name);

// The failure of writing `target` for the system's error number `reason`, with advice.
Error write_error(const std::filesystem::path& target, int reason);

// The functions of the system that may be interrupted or do a part only, until they are done.
// `transfer` is called with what is left. They return 0 or the system's error number.
int write_all(int descriptor, std::span<const std::byte> bytes);
int sync_file(int descriptor);

// Waits for the lock of a file. On file systems without locks there is none, which is no error.
void lock_file(int descriptor);

// Whether a file still has a name.
bool has_name(int descriptor);

// Closes a descriptor of the system; -1 for none.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }

 private:
  int number_;
};

// Creates `.<name of the target>.<16 hexadecimal digits>.tmp` beside the target. As long as this
// object lives, it holds the lock of the file, so that a file of such a name that nobody has locked
// was left behind by a process that was killed (leftovers.hpp). One thread at a time.
class TemporaryFile {
 public:
  // Throws Error(io) that names the target, which must be a path without links at its end.
  TemporaryFile(const std::filesystem::path& target, ::mode_t mode);
  // A file without a name, readable too, which is gone when it is closed: among the system's
  // temporary files or, where they cannot be such, in memory. Throws Error(io) that names `target`.
  static TemporaryFile without_name(const std::filesystem::path& target);
  ~TemporaryFile() { discard(); }
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;

  // -1 after discard().
  [[nodiscard]] int descriptor() const { return file_.number(); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  // Gives the file its name, with flags of renameat2. The lock stays. Returns 0 or the system's
  // error number; the file is still a temporary one then.
  [[nodiscard]] int rename_to(const std::filesystem::path& target, unsigned flags = 0);

  // Removes the file and gives up its lock; only the latter once it is renamed or released.
  void discard() noexcept;

  // Leaves the file to others, who know its name.
  void release() { path_.clear(); }

 private:
  explicit TemporaryFile(Descriptor file) : file_(std::move(file)) {}

  std::filesystem::path path_;  // empty when it is not this object's to remove
  Descriptor file_;
};

// Whether a file may be called so by TemporaryFile.
bool is_temporary_name(std::string_view name);

}  // namespace fhe
