// SPDX-License-Identifier: Apache-2.0
#include "libfhe/storage/leftovers.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "libfhe/storage/file_pair.hpp"
#include "libfhe/storage/temporary_file.hpp"

namespace fhe {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> temporaries_in(const fs::path& directory) {
  std::vector<fs::path> found;
  std::error_code failure;
  for (fs::directory_iterator at(directory, failure), end; !failure && at != end;
       at.increment(failure)) {
    if (is_temporary_name(at->path().filename().string())) found.push_back(at->path());
  }
  std::ranges::sort(found);
  return found;
}

// An open file that this process has locked; none for one that another process works on, or that
// is no file of ours.
Descriptor abandoned(const fs::path& file) {
  std::error_code failure;
  if (!is_regular_file(fs::symlink_status(file, failure))) return Descriptor();
  Descriptor opened(::open(file.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!opened.is_open() || ::flock(opened.number(), LOCK_EX | LOCK_NB) != 0) return Descriptor();
  return opened;
}

}  // namespace

Leftovers clear_leftovers(const fs::path& directory) {
  Leftovers leftovers{.completed = finish_pair(directory), .removed = {}, .stuck = {}};
  for (const fs::path& file : temporaries_in(directory)) {
    const Descriptor locked = abandoned(file);
    // Since its process has ended, a record of that process is there by now: the file is not
    // abandoned then, but part of a pair.
    if (!locked.is_open() || !has_name(locked.number()) || has_pending_pair(directory)) continue;
    const int reason = ::unlink(file.c_str()) == 0 ? 0 : errno;
    if (reason == ENOENT) continue;  // its process was about to give it its name
    (reason == 0 ? leftovers.removed : leftovers.stuck).push_back(file);
  }
  return leftovers;
}

}  // namespace fhe
