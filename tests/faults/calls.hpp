// SPDX-License-Identifier: Apache-2.0
// What the shim and the tests agree on: the calls that are counted, what happens to one of them,
// and the records of a log. Both sides are built from this header, so the log has no format of its
// own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fhe::faults {

// Functions of the C library by what they do: `unlink` is also rmdir, remove and unlinkat, `create`
// every open() that may make or empty a file, `list` a step through a folder, `spawn` the start of
// a process, which counts as one on the working directory.
enum class Call : std::uint8_t {
  open,
  create,
  read,
  write,
  sync,
  close,
  status,
  access,
  rename,
  link,
  symlink,
  unlink,
  mkdir,
  truncate,
  mode,
  lock,
  list,
  spawn,
  allocate,
};

inline constexpr std::array<std::string_view, 19> kCallNames{
    "open",   "create", "read", "write",   "sync",    "close", "status",
    "access", "rename", "link", "symlink", "unlink",  "mkdir", "truncate",
    "mode",   "lock",   "list", "spawn",   "allocate"};

// What happens to a call.
enum class Action : std::uint8_t {
  none,
  fail,        // it is not made, and fails with an error number
  end_before,  // SIGKILL instead of it
  end_after,   // SIGKILL once it is done
  shorten,     // a read or write moves half of the bytes; other calls are made
  tear,        // as `shorten`, then SIGKILL
};

// The environment of a program under the shim.
inline constexpr const char* kCallsVariable = "FHE_FAULTS_CALLS";      // names, with commas
inline constexpr const char* kRootVariable = "FHE_FAULTS_ROOT";        // only files inside count
inline constexpr const char* kAtVariable = "FHE_FAULTS_AT";            // which call, from 1
inline constexpr const char* kLastingVariable = "FHE_FAULTS_LASTING";  // "1": and all after it
inline constexpr const char* kActionVariable = "FHE_FAULTS_ACTION";    // number of an Action
inline constexpr const char* kErrorVariable = "FHE_FAULTS_ERROR";      // error number of `fail`
inline constexpr const char* kLogVariable = "FHE_FAULTS_LOG";          // file of records
inline constexpr const char* kOnceVariable = "FHE_FAULTS_ONCE";  // file, made by the first process
                                                                 // that is struck: no other is
inline constexpr const char* kArgumentVariable = "FHE_FAULTS_ARGUMENT";  // only programs with it

// One call that was counted; allocations only when something happened to them. In a log each is
// followed by its two paths and its data. The last one of a process that ended by itself has number
// 0, and as its result how many calls were counted.
struct Record {
  std::uint64_t number;  // among the counted calls of its process, from 1
  std::int64_t result;   // negative: the error number
  std::uint64_t offset;  // where a write began; the length of a truncation
  std::int32_t process;
  std::int32_t descriptor;  // that was used, or opened
  std::int32_t flags;
  Call call;
  Action action;
  std::uint16_t path_bytes;    // absolute, perhaps with "." inside
  std::uint16_t target_bytes;  // of rename, link and symlink
  std::uint32_t data_bytes;    // what was written
};

}  // namespace fhe::faults
