// SPDX-License-Identifier: Apache-2.0
// A shared object to be loaded before a program (LD_PRELOAD). From the first line of main() on it
// counts calls of the C library, writes them to a log, and lets one or more of them fail, end the
// process or move fewer bytes. See README.md; the variables that direct it are in calls.hpp.
//
// It calls the kernel itself and allocates nothing, so it can be called from anywhere.
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/faults/calls.hpp"

// What glibc calls its own allocator, whoever else defines malloc.
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* block, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
}

namespace {

using fhe::faults::Action;
using fhe::faults::Call;
using fhe::faults::kCallNames;
using fhe::faults::Record;

constexpr std::size_t kPathBytes = 4096;
constexpr int kLogDescriptor = 900;  // out of the way of the program's own

struct Plan {
  std::array<bool, kCallNames.size()> counted{};
  std::array<char, kPathBytes> root{};
  std::uint64_t at = 0;
  bool lasting = false;
  Action action = Action::none;
  int error = 0;
  int log = -1;
  std::array<char, kPathBytes> once{};  // empty: any number of processes may be struck
};

Plan plan;
std::atomic<bool> running = false;  // main() began, and this program is meant
std::atomic<std::uint64_t> counter = 0;
std::atomic_flag busy = ATOMIC_FLAG_INIT;

// Counted calls are made one after the other, so that the log is in the order of their effects.
class Turn {
 public:
  Turn() {
    while (busy.test_and_set(std::memory_order_acquire)) ::syscall(SYS_sched_yield);
  }
  ~Turn() { busy.clear(std::memory_order_release); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
};

// A file call as the program made it.
struct Request {
  Call call;
  int descriptor = -1;         // used, or opened
  int directory = AT_FDCWD;    // of a relative path
  const char* path = nullptr;  // none: `descriptor` is used
  int target_directory = AT_FDCWD;
  const char* target = nullptr;
  int flags = 0;
  const void* data = nullptr;  // of a write
  std::size_t bytes = 0;
  ::off_t offset = -1;  // of a pwrite; the length of a truncation
};

using Path = std::array<char, 2 * kPathBytes>;

// The path behind a descriptor, or the working directory.
void name_of(int descriptor, Path& path) {
  path[0] = '\0';
  if (descriptor == AT_FDCWD) {
    ::syscall(SYS_getcwd, path.data(), kPathBytes);
    return;
  }
  std::array<char, 64> link{};
  std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", descriptor);
  const long length = ::syscall(SYS_readlinkat, AT_FDCWD, link.data(), path.data(), kPathBytes - 1);
  path[length > 0 ? static_cast<std::size_t>(length) : 0] = '\0';
}

void absolute(int directory, const char* name, Path& path) {
  path[0] = '\0';
  if (name[0] != '/') {
    name_of(directory, path);
    std::strncat(path.data(), "/", 1);
  }
  std::strncat(path.data(), name, kPathBytes - 1);
}

bool is_inside(const Path& path) {
  const std::size_t length = std::strlen(plan.root.data());
  return std::strncmp(path.data(), plan.root.data(), length) == 0 &&
         (path[length] == '\0' || path[length] == '/');
}

// Whether this process is the one that may be struck.
bool is_first_struck() {
  static const bool first = [] {
    if (plan.once[0] == '\0') return true;
    const long file = ::syscall(SYS_openat, AT_FDCWD, plan.once.data(),
                                O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0) ::syscall(SYS_close, file);
    return file >= 0;
  }();
  return first;
}

Action action_on(std::uint64_t number) {
  const bool meant = plan.lasting ? number >= plan.at : number == plan.at;
  return plan.at > 0 && meant && is_first_struck() ? plan.action : Action::none;
}

[[noreturn]] void end_process() {
  for (;;) ::syscall(SYS_kill, ::getpid(), SIGKILL);
}

void log(const Record& record, const char* path, const char* target, const void* data) {
  if (plan.log < 0) return;
  const iovec parts[] = {{const_cast<Record*>(&record), sizeof record},
                         {const_cast<char*>(path), record.path_bytes},
                         {const_cast<char*>(target), record.target_bytes},
                         {const_cast<void*>(data), record.data_bytes}};
  ::syscall(SYS_writev, plan.log, parts, 4);
}

// Where a write began, or the new length of a file that was cut.
std::uint64_t offset_of(const Request& request, long written) {
  if (written < 0 || (request.call != Call::write && request.call != Call::truncate)) return 0;
  if (request.offset >= 0) return static_cast<std::uint64_t>(request.offset);
  const long end = ::syscall(SYS_lseek, request.descriptor, 0, SEEK_CUR);
  return static_cast<std::uint64_t>(end - written);
}

// Makes the call by `real(bytes)`, which returns what the C library's function does, and minds the
// plan. errno is as that function leaves it.
template <class Real>
long perform(const Request& request, const Real& real) {
  if (!running || !plan.counted[static_cast<std::size_t>(request.call)]) return real(request.bytes);
  Path path;
  Path target;
  if (request.path == nullptr) {
    name_of(request.descriptor, path);
  } else {
    absolute(request.directory, request.path, path);
  }
  target[0] = '\0';
  if (request.target != nullptr) absolute(request.target_directory, request.target, target);
  if (!is_inside(path) && !is_inside(target)) return real(request.bytes);

  const Turn turn;
  const std::uint64_t number = ++counter;
  const Action action = action_on(number);
  const bool shortened = (action == Action::shorten || action == Action::tear) && request.bytes > 1;
  long result = -1;
  if (action == Action::fail) {
    errno = plan.error;
  } else if (action != Action::end_before) {
    result = real(shortened ? request.bytes / 2 : request.bytes);
  }
  const int reason = errno;
  const bool opens = request.call == Call::open || request.call == Call::create;
  const bool wrote = request.call == Call::write && result > 0;
  const Record record{
      .number = number,
      .result = action == Action::end_before ? -EINTR : (result < 0 ? -reason : result),
      .offset = offset_of(request, result),
      .process = ::getpid(),
      .descriptor = opens && result >= 0 ? static_cast<std::int32_t>(result) : request.descriptor,
      .flags = request.flags,
      .call = request.call,
      .action = action,
      .path_bytes = static_cast<std::uint16_t>(std::strlen(path.data())),
      .target_bytes = static_cast<std::uint16_t>(std::strlen(target.data())),
      .data_bytes = wrote ? static_cast<std::uint32_t>(result) : 0};
  log(record, path.data(), target.data(), request.data);
  if (action != Action::none && action != Action::fail && action != Action::shorten) end_process();
  errno = reason;
  return result;
}

bool allocation_fails() {
  if (!running || !plan.counted[static_cast<std::size_t>(Call::allocate)]) return false;
  const std::uint64_t number = ++counter;
  const Action action = action_on(number);
  if (action == Action::none) return false;
  Record record{};
  record.number = number;
  record.result = -ENOMEM;
  record.process = ::getpid();
  record.call = Call::allocate;
  record.action = action;
  log(record, "", "", "");
  if (action != Action::fail) end_process();
  errno = ENOMEM;
  return true;
}

const char* variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_meant(int argc, const char* const* argv) {
  const char* const wanted = variable(fhe::faults::kArgumentVariable);
  if (wanted[0] == '\0') return true;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], wanted) == 0) return true;
  }
  return false;
}

void choose_calls(std::string_view names) {
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(','));
    for (std::size_t i = 0; i < kCallNames.size(); ++i) {
      if (kCallNames[i] == name) plan.counted[i] = true;
    }
    names.remove_prefix(name.size() < names.size() ? name.size() + 1 : names.size());
  }
}

void read_plan() {
  choose_calls(variable(fhe::faults::kCallsVariable));
  std::strncpy(plan.root.data(), variable(fhe::faults::kRootVariable), kPathBytes - 1);
  std::strncpy(plan.once.data(), variable(fhe::faults::kOnceVariable), kPathBytes - 1);
  plan.at = std::strtoull(variable(fhe::faults::kAtVariable), nullptr, 10);
  plan.lasting = variable(fhe::faults::kLastingVariable)[0] == '1';
  plan.action =
      static_cast<Action>(std::strtoul(variable(fhe::faults::kActionVariable), nullptr, 10));
  plan.error = static_cast<int>(std::strtol(variable(fhe::faults::kErrorVariable), nullptr, 10));
  const char* const name = variable(fhe::faults::kLogVariable);
  if (name[0] == '\0') return;
  const long file =
      ::syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  plan.log = static_cast<int>(::syscall(SYS_fcntl, file, F_DUPFD_CLOEXEC, kLogDescriptor));
  ::syscall(SYS_close, file);
}

// How many calls there were.
void log_end() {
  if (!running.exchange(false)) return;
  Record record{};
  record.result = static_cast<std::int64_t>(counter.load());
  record.process = ::getpid();
  log(record, "", "", "");
}

using Main = int (*)(int, char**, char**);
Main program_main = nullptr;

int counted_main(int argc, char** argv, char** environment) {
  read_plan();
  running = is_meant(argc, argv);
  std::atexit(log_end);
  return program_main(argc, argv, environment);
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

// The environment of a spawned process with that of this one's shim in it, which a program that
// cleans the environment of its children leaves out.
class ShimmedEnvironment {
 public:
  explicit ShimmedEnvironment(char* const* environment) {
    for (char* const* variable = ::environ; *variable != nullptr; ++variable) {
      if (std::strncmp(*variable, "LD_PRELOAD=", 11) == 0) add(*variable);
      if (std::strncmp(*variable, "FHE_FAULTS_", 11) == 0) add(*variable);
    }
    for (char* const* variable = environment; *variable != nullptr; ++variable) add(*variable);
  }

  [[nodiscard]] char* const* data() const { return variables_.data(); }

 private:
  void add(char* variable) {
    if (count_ + 1 < variables_.size()) variables_[count_++] = variable;
  }

  std::array<char*, 1024> variables_{};
  std::size_t count_ = 0;
};

long open_at(int directory, const char* path, int flags, ::mode_t mode) {
  const Call call = (flags & (O_CREAT | O_TRUNC)) != 0 ? Call::create : Call::open;
  return perform({.call = call, .directory = directory, .path = path, .flags = flags},
                 [&](std::size_t) { return ::syscall(SYS_openat, directory, path, flags, mode); });
}

// The optional last argument of open().
::mode_t mode_argument(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, ::mode_t) : 0;
}

long status_at(int directory, const char* path, void* status, int flags) {
  Request request{.call = Call::status, .directory = directory, .path = path, .flags = flags};
  if (path[0] == '\0') request = {.call = Call::status, .descriptor = directory};
  return perform(request, [&](std::size_t) {
    return ::syscall(SYS_newfstatat, directory, path, status, flags);
  });
}

long rename_at(int from_directory, const char* from, int to_directory, const char* to,
               unsigned flags) {
  return perform({.call = Call::rename,
                  .directory = from_directory,
                  .path = from,
                  .target_directory = to_directory,
                  .target = to,
                  .flags = static_cast<int>(flags)},
                 [&](std::size_t) {
                   return ::syscall(SYS_renameat2, from_directory, from, to_directory, to, flags);
                 });
}

long link_at(int from_directory, const char* from, int to_directory, const char* to, int flags) {
  return perform({.call = Call::link,
                  .directory = from_directory,
                  .path = from,
                  .target_directory = to_directory,
                  .target = to},
                 [&](std::size_t) {
                   return ::syscall(SYS_linkat, from_directory, from, to_directory, to, flags);
                 });
}

long unlink_at(int directory, const char* path, int flags) {
  return perform({.call = Call::unlink, .directory = directory, .path = path, .flags = flags},
                 [&](std::size_t) { return ::syscall(SYS_unlinkat, directory, path, flags); });
}

long make_directory_at(int directory, const char* path, ::mode_t mode) {
  return perform({.call = Call::mkdir, .directory = directory, .path = path},
                 [&](std::size_t) { return ::syscall(SYS_mkdirat, directory, path, mode); });
}

// Nobody pulls the plug, and flushing would take most of the time of the tests: it is counted, and
// not done.
long synchronize(int descriptor) {
  return perform({.call = Call::sync, .descriptor = descriptor}, [](std::size_t) { return 0L; });
}

long truncate_descriptor(int descriptor, ::off_t length) {
  return perform({.call = Call::truncate, .descriptor = descriptor, .offset = length},
                 [&](std::size_t) { return ::syscall(SYS_ftruncate, descriptor, length); });
}

long write_some(int descriptor, const void* data, std::size_t bytes, ::off_t offset) {
  return perform({.call = Call::write,
                  .descriptor = descriptor,
                  .data = data,
                  .bytes = bytes,
                  .offset = offset},
                 [&](std::size_t most) {
                   return offset < 0 ? ::syscall(SYS_write, descriptor, data, most)
                                     : ::syscall(SYS_pwrite64, descriptor, data, most, offset);
                 });
}

long read_some(int descriptor, void* data, std::size_t bytes, ::off_t offset) {
  return perform({.call = Call::read, .descriptor = descriptor, .bytes = bytes},
                 [&](std::size_t most) {
                   return offset < 0 ? ::syscall(SYS_read, descriptor, data, most)
                                     : ::syscall(SYS_pread64, descriptor, data, most, offset);
                 });
}

}  // namespace

// The functions of the C library, as its headers declare them.
extern "C" {

int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*rtld_fini)(), void* stack_end) {
  program_main = main;
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  return next<Start>("__libc_start_main")(counted_main, argc, argv, init, fini, rtld_fini,
                                          stack_end);
}

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const ::mode_t mode = mode_argument(flags, arguments);
  va_end(arguments);
  return static_cast<int>(open_at(AT_FDCWD, path, flags, mode));
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const ::mode_t mode = mode_argument(flags, arguments);
  va_end(arguments);
  return static_cast<int>(open_at(AT_FDCWD, path, flags, mode));
}

int openat(int directory, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const ::mode_t mode = mode_argument(flags, arguments);
  va_end(arguments);
  return static_cast<int>(open_at(directory, path, flags, mode));
}

int openat64(int directory, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const ::mode_t mode = mode_argument(flags, arguments);
  va_end(arguments);
  return static_cast<int>(open_at(directory, path, flags, mode));
}

// Streams are opened for reading here; what they write would pass by the shim.
FILE* fopen64(const char* path, const char* mode) {
  FILE* file = nullptr;
  perform({.call = Call::open, .path = path}, [&](std::size_t) -> long {
    file = next<FILE* (*)(const char*, const char*)>("fopen64")(path, mode);
    return file == nullptr ? -1 : ::fileno(file);
  });
  return file;
}

DIR* opendir(const char* path) {
  DIR* list = nullptr;
  perform({.call = Call::open, .path = path}, [&](std::size_t) -> long {
    list = next<DIR* (*)(const char*)>("opendir")(path);
    return list == nullptr ? -1 : ::dirfd(list);
  });
  return list;
}

// At the end of a list it returns none, too, with errno as it was.
dirent64* readdir64(DIR* list) {
  dirent64* entry = nullptr;
  const int before = errno;
  const long result =
      perform({.call = Call::list, .descriptor = ::dirfd(list)}, [&](std::size_t) -> long {
        errno = 0;
        entry = next<dirent64* (*)(DIR*)>("readdir64")(list);
        return entry == nullptr && errno != 0 ? -1 : 0;
      });
  if (result == 0) errno = before;
  return entry;
}

dirent* readdir(DIR* list) {
  return reinterpret_cast<dirent*>(readdir64(list));
}

ssize_t read(int descriptor, void* data, std::size_t bytes) {
  return read_some(descriptor, data, bytes, -1);
}

ssize_t pread(int descriptor, void* data, std::size_t bytes, ::off_t offset) {
  return read_some(descriptor, data, bytes, offset);
}

ssize_t pread64(int descriptor, void* data, std::size_t bytes, ::off64_t offset) {
  return read_some(descriptor, data, bytes, offset);
}

ssize_t write(int descriptor, const void* data, std::size_t bytes) {
  return write_some(descriptor, data, bytes, -1);
}

ssize_t pwrite(int descriptor, const void* data, std::size_t bytes, ::off_t offset) {
  return write_some(descriptor, data, bytes, offset);
}

ssize_t pwrite64(int descriptor, const void* data, std::size_t bytes, ::off64_t offset) {
  return write_some(descriptor, data, bytes, offset);
}

// Writes the first part that holds anything, which is one of the things that writev may do.
ssize_t writev(int descriptor, const iovec* parts, int count) {
  int first = 0;
  while (first + 1 < count && parts[first].iov_len == 0) ++first;
  return write_some(descriptor, parts[first].iov_base, parts[first].iov_len, -1);
}

int fsync(int descriptor) {
  return static_cast<int>(synchronize(descriptor));
}

int fdatasync(int descriptor) {
  return static_cast<int>(synchronize(descriptor));
}

int close(int descriptor) {
  return static_cast<int>(perform({.call = Call::close, .descriptor = descriptor},
                                  [&](std::size_t) { return ::syscall(SYS_close, descriptor); }));
}

int stat(const char* path, struct stat* status) noexcept {
  return static_cast<int>(status_at(AT_FDCWD, path, status, 0));
}

int stat64(const char* path, struct stat64* status) noexcept {
  return static_cast<int>(status_at(AT_FDCWD, path, status, 0));
}

int lstat(const char* path, struct stat* status) noexcept {
  return static_cast<int>(status_at(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW));
}

int lstat64(const char* path, struct stat64* status) noexcept {
  return static_cast<int>(status_at(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW));
}

int fstat(int descriptor, struct stat* status) noexcept {
  return static_cast<int>(status_at(descriptor, "", status, AT_EMPTY_PATH));
}

int fstat64(int descriptor, struct stat64* status) noexcept {
  return static_cast<int>(status_at(descriptor, "", status, AT_EMPTY_PATH));
}

int fstatat(int directory, const char* path, struct stat* status, int flags) noexcept {
  return static_cast<int>(status_at(directory, path, status, flags));
}

int fstatat64(int directory, const char* path, struct stat64* status, int flags) noexcept {
  return static_cast<int>(status_at(directory, path, status, flags));
}

int access(const char* path, int kind) noexcept {
  return static_cast<int>(perform({.call = Call::access, .path = path}, [&](std::size_t) {
    return ::syscall(SYS_faccessat, AT_FDCWD, path, kind);
  }));
}

int rename(const char* from, const char* to) noexcept {
  return static_cast<int>(rename_at(AT_FDCWD, from, AT_FDCWD, to, 0));
}

int renameat(int from_directory, const char* from, int to_directory, const char* to) noexcept {
  return static_cast<int>(rename_at(from_directory, from, to_directory, to, 0));
}

int renameat2(int from_directory, const char* from, int to_directory, const char* to,
              unsigned flags) noexcept {
  return static_cast<int>(rename_at(from_directory, from, to_directory, to, flags));
}

int link(const char* from, const char* to) noexcept {
  return static_cast<int>(link_at(AT_FDCWD, from, AT_FDCWD, to, 0));
}

int linkat(int from_directory, const char* from, int to_directory, const char* to,
           int flags) noexcept {
  return static_cast<int>(link_at(from_directory, from, to_directory, to, flags));
}

// A symbolic link's text is no file that is touched: it is logged as it is.
int symlink(const char* text, const char* path) noexcept {
  return static_cast<int>(
      perform({.call = Call::symlink, .path = path, .target = text},
              [&](std::size_t) { return ::syscall(SYS_symlinkat, text, AT_FDCWD, path); }));
}

int unlink(const char* path) noexcept {
  return static_cast<int>(unlink_at(AT_FDCWD, path, 0));
}

int unlinkat(int directory, const char* path, int flags) noexcept {
  return static_cast<int>(unlink_at(directory, path, flags));
}

int rmdir(const char* path) noexcept {
  return static_cast<int>(unlink_at(AT_FDCWD, path, AT_REMOVEDIR));
}

int remove(const char* path) noexcept {
  const long result = unlink_at(AT_FDCWD, path, 0);
  if (result == 0 || errno != EISDIR) return static_cast<int>(result);
  return static_cast<int>(unlink_at(AT_FDCWD, path, AT_REMOVEDIR));
}

int mkdir(const char* path, ::mode_t mode) noexcept {
  return static_cast<int>(make_directory_at(AT_FDCWD, path, mode));
}

int mkdirat(int directory, const char* path, ::mode_t mode) noexcept {
  return static_cast<int>(make_directory_at(directory, path, mode));
}

int ftruncate(int descriptor, ::off_t length) noexcept {
  return static_cast<int>(truncate_descriptor(descriptor, length));
}

int ftruncate64(int descriptor, ::off64_t length) noexcept {
  return static_cast<int>(truncate_descriptor(descriptor, length));
}

int fchmod(int descriptor, ::mode_t mode) noexcept {
  return static_cast<int>(perform({.call = Call::mode, .descriptor = descriptor}, [&](std::size_t) {
    return ::syscall(SYS_fchmod, descriptor, mode);
  }));
}

int chmod(const char* path, ::mode_t mode) noexcept {
  return static_cast<int>(perform({.call = Call::mode, .path = path}, [&](std::size_t) {
    return ::syscall(SYS_fchmodat, AT_FDCWD, path, mode);
  }));
}

int fchmodat(int directory, const char* path, ::mode_t mode, int flags) noexcept {
  return static_cast<int>(
      perform({.call = Call::mode, .directory = directory, .path = path, .flags = flags},
              [&](std::size_t) { return ::syscall(SYS_fchmodat, directory, path, mode); }));
}

int flock(int descriptor, int operation) noexcept {
  return static_cast<int>(
      perform({.call = Call::lock, .descriptor = descriptor, .flags = operation},
              [&](std::size_t) { return ::syscall(SYS_flock, descriptor, operation); }));
}

int posix_spawn(pid_t* process, const char* path, const posix_spawn_file_actions_t* files,
                const posix_spawnattr_t* attributes, char* const* arguments,
                char* const* environment) noexcept {
  const long result = perform({.call = Call::spawn, .path = "."}, [&](std::size_t) -> long {
    errno = next<decltype(&::posix_spawn)>("posix_spawn")(
        process, path, files, attributes, arguments, ShimmedEnvironment(environment).data());
    return errno == 0 ? 0 : -1;
  });
  return result == 0 ? 0 : errno;
}

void* malloc(std::size_t bytes) noexcept {
  return allocation_fails() ? nullptr : __libc_malloc(bytes);
}

void* calloc(std::size_t count, std::size_t bytes) noexcept {
  return allocation_fails() ? nullptr : __libc_calloc(count, bytes);
}

void* realloc(void* block, std::size_t bytes) noexcept {
  return allocation_fails() ? nullptr : __libc_realloc(block, bytes);
}

void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  return allocation_fails() ? nullptr : __libc_memalign(alignment, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return allocation_fails() ? nullptr : __libc_memalign(alignment, bytes);
}

int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) noexcept {
  void* const made = allocation_fails() ? nullptr : __libc_memalign(alignment, bytes);
  if (made == nullptr) return ENOMEM;
  *block = made;
  return 0;
}

}  // extern "C"
