// SPDX-License-Identifier: Apache-2.0
// Pairs of files that are replaced in one step, whatever the last call of the process is; and what
// is left behind by processes that were killed.
#include "libfhe/storage/file_pair.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libfhe/storage/atomic_file.hpp"
#include "libfhe/storage/leftovers.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

namespace {

namespace fs = std::filesystem;

const std::string kRecord = ".fhe-pair";
const std::string kFirstTemporary = ".first.0123456789abcdef.tmp";
const std::string kSecondTemporary = ".second.fedcba9876543210.tmp";

void put(const fs::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

AtomicFile written(const fs::path& path, std::string_view text) {
  AtomicFile file(path, FileAccess::owner_only);
  file.write(std::as_bytes(std::span(text)));
  return file;
}

void save_pair(const fs::path& directory, std::string_view text) {
  AtomicFile::commit_pair(written(directory / "first", text), written(directory / "second", text));
}

// The record of a pair whose temporary files have these names.
std::string record(const std::string& first = kFirstTemporary,
                   const std::string& second = kSecondTemporary,
                   const std::string& target = "second") {
  const std::string end(1, '\0');
  return "fhe-pair 1\n" + first + end + "first" + end + second + end + target + end;
}

// A directory in which a process was killed right after the step.
class Interrupted {
 public:
  Interrupted() {
    put("first", "old");
    put("second", "old");
    put(kFirstTemporary, "new");
    put(kSecondTemporary, "new");
    put(kRecord, record());
  }

  void put(const std::string& name, std::string_view text) const {
    test::put(directory_ / name, text);
  }
  [[nodiscard]] std::string operator[](const std::string& name) const {
    return text_of(directory_ / name);
  }
  [[nodiscard]] const fs::path& path() const { return directory_.path(); }
  [[nodiscard]] std::ptrdiff_t size() const { return directory_.size(); }

 private:
  TemporaryDirectory directory_;
};

// Runs `work` in a child process that is killed when it enters its system call number `last` + 1.
// Returns whether it was; false when it ended before.
template <class Work>
bool killed_after(long last, const Work& work) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    ::raise(SIGSTOP);
    work();
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD) == 0);
  for (long calls = 0; WIFSTOPPED(status);) {
    REQUIRE(::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) == 0);
    REQUIRE(::waitpid(child, &status, 0) == child);
    if (!WIFSTOPPED(status)) break;
    __ptrace_syscall_info call{};
    REQUIRE(::ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof call, &call) > 0);
    if (call.op != PTRACE_SYSCALL_INFO_ENTRY || calls++ < last) continue;
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
    return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a pair is there as a whole, replaces an older one, and leaves nothing", "[wire]") {
  const TemporaryDirectory directory;
  save_pair(directory.path(), "old");
  save_pair(directory.path(), "new");
  CHECK(text_of(directory / "first") == "new");
  CHECK(text_of(directory / "second") == "new");
  CHECK(permissions_of(directory / "first") == fs::perms(0600));
  CHECK(directory.size() == 2);
}

TEST_CASE("a pair is in one directory and has two names", "[wire]") {
  const TemporaryDirectory directory;
  create_directory(directory / "sub");
  const auto refused = HasCode(ErrorCode::invalid_argument, "in one directory");
  CHECK_THROWS_MATCHES(AtomicFile::commit_pair(written(directory / "first", "x"),
                                               written(directory / "sub" / "second", "x")),
                       Error, refused);
  CHECK_THROWS_MATCHES(
      AtomicFile::commit_pair(written(directory / "first", "x"), written(directory / "first", "x")),
      Error, refused);
  AtomicFile stream("/dev/null", FileAccess::everyone);
  CHECK_THROWS_MATCHES(
      AtomicFile::commit_pair(written(directory / "first", "x"), std::move(stream)), Error,
      HasCode(ErrorCode::invalid_argument, "'/dev/null' is no regular file"));
  CHECK(directory.size() == 1);
}

TEST_CASE("a pair whose first file cannot get its name changes nothing", "[wire]") {
  const TemporaryDirectory directory;
  put(directory / "second", "old");
  AtomicFile first = written(directory / "first", "new");
  create_directory(directory / "first");
  CHECK_THROWS_MATCHES(
      AtomicFile::commit_pair(std::move(first), written(directory / "second", "new")), Error,
      HasCode(ErrorCode::io, "Is a directory"));
  CHECK(text_of(directory / "second") == "old");
  CHECK(directory.size() == 2);
}

TEST_CASE("a pair whose second file cannot get its name is kept until it can", "[wire]") {
  const TemporaryDirectory directory;
  put(directory / "first", "old");
  AtomicFile second = written(directory / "second", "new");
  create_directory(directory / "second");
  CHECK_THROWS_MATCHES(
      AtomicFile::commit_pair(written(directory / "first", "new"), std::move(second)), Error,
      HasCode(ErrorCode::io, "is complete, but not yet under its names: Is a directory"));
  CHECK(has_pending_pair(directory.path()));
  CHECK_THROWS_MATCHES(clear_leftovers(directory.path()), Error, HasCode(ErrorCode::io));
  fs::remove(directory / "second");
  const Leftovers leftovers = clear_leftovers(directory.path());
  CHECK(leftovers.completed == std::vector<fs::path>{directory / "second"});
  CHECK(text_of(directory / "first") == "new");
  CHECK(text_of(directory / "second") == "new");
  CHECK(directory.size() == 2);
}

TEST_CASE("an interrupted replacement is completed, wherever it was", "[wire]") {
  {
    const Interrupted directory;
    CHECK(finish_pair(directory.path()).size() == 2);
    CHECK(directory["first"] + directory["second"] == "newnew");
    CHECK(directory.size() == 2);
    CHECK(finish_pair(directory.path()).empty());
  }
  {
    const Interrupted directory;  // after the first renaming
    fs::rename(directory.path() / kFirstTemporary, directory.path() / "first");
    CHECK(finish_pair(directory.path()).size() == 1);
    CHECK(directory["first"] + directory["second"] == "newnew");
    CHECK(directory.size() == 2);
  }
  {
    const Interrupted directory;  // clearing away leaves alone what belongs to the pair
    directory.put(".third.0123456789abcdef.tmp", "abandoned");
    const Leftovers leftovers = clear_leftovers(directory.path());
    CHECK(leftovers.completed.size() == 2);
    CHECK(leftovers.removed.size() == 1);
    CHECK(directory["first"] + directory["second"] == "newnew");
    CHECK(directory.size() == 2);
  }
  {
    const Interrupted directory;  // and the next pair is not in its way
    save_pair(directory.path(), "next");
    CHECK(directory["first"] + directory["second"] == "nextnext");
    CHECK(directory.size() == 2);
  }
}

TEST_CASE("a record that nobody wrote is refused and followed nowhere", "[wire]") {
  for (const std::string& text :
       {std::string(), std::string("fhe-pair 1\n"), std::string(3000, 'x'), record() + "x",
        record().substr(0, record().size() - 1), record("first", kSecondTemporary),
        record(kFirstTemporary, kSecondTemporary, "../second"),
        record(kFirstTemporary, "sub/" + kSecondTemporary),
        record(kFirstTemporary, kSecondTemporary, "..")}) {
    CAPTURE(text);
    const Interrupted directory;
    directory.put(kRecord, text);
    CHECK_THROWS_MATCHES(finish_pair(directory.path()), Error,
                         HasCode(ErrorCode::malformed_file, kRecord));
    CHECK(directory["first"] + directory["second"] == "oldold");
    CHECK(directory.size() == 5);
  }
}

TEST_CASE("what is no file of this user is no record", "[wire]") {
  const Interrupted directory;
  fs::rename(directory.path() / kRecord, directory.path() / "moved");
  fs::create_symlink("moved", directory.path() / kRecord);
  CHECK(finish_pair(directory.path()).empty());
  fs::remove(directory.path() / kRecord);
  if (::geteuid() == 0) {  // who alone can give files away
    fs::rename(directory.path() / "moved", directory.path() / kRecord);
    REQUIRE(::chown((directory.path() / kRecord).c_str(), 12345, 12345) == 0);
    CHECK(finish_pair(directory.path()).empty());
    CHECK_THROWS_MATCHES(save_pair(directory.path(), "next"), Error,
                         HasCode(ErrorCode::io, "File exists"));
  }
  CHECK(directory["first"] + directory["second"] == "oldold");
}

TEST_CASE("a pair is whole whatever call of its process is the last", "[wire]") {
  const std::string older = GENERATE("old", "");  // none: the first pair of its directory
  bool was_older = false;
  bool was_new = false;
  for (long last = 0;; ++last) {
    CAPTURE(last);
    const TemporaryDirectory directory;
    put(directory / "unrelated", "mine");
    if (!older.empty()) save_pair(directory.path(), older);
    const std::ptrdiff_t before = directory.size();
    const bool killed = killed_after(last, [&] { save_pair(directory.path(), "new"); });
    static_cast<void>(clear_leftovers(directory.path()));
    const std::string found = text_of(directory / "first");
    REQUIRE((found == older || found == "new"));
    CHECK(text_of(directory / "second") == found);
    CHECK(text_of(directory / "unrelated") == "mine");
    CHECK(directory.size() == (found == "new" ? 3 : before));
    CHECK_FALSE((was_new && found != "new"));  // once it counts, it counts
    (found == "new" ? was_new : was_older) = true;
    if (!killed) break;
    REQUIRE(last < 1000);
  }
  CHECK(was_older);
  CHECK(was_new);
}

TEST_CASE("temporaries of killed processes are removed, those of running ones stay", "[wire]") {
  const TemporaryDirectory directory;
  AtomicFile alive(directory / "alive", FileAccess::everyone);
  const fs::path abandoned = directory / ".secret.fhe.0123456789abcdef.tmp";
  put(abandoned, "secret");
  for (const std::string name :
       {".other.tmp", "x.0123456789abcdef.tmp", ".x.0123456789ABCDEF.tmp", ".0123456789abcdef.tmp",
        ".x.0123456789abcde.tmp", ".x.0123456789abcdef.tmp~"}) {
    put(directory / name, "somebody else's");
  }
  create_directory(directory / ".directory.0123456789abcdef.tmp");
  REQUIRE(::mkfifo((directory / ".pipe.0123456789abcdef.tmp").c_str(), 0600) == 0);
  const std::ptrdiff_t before = directory.size();

  const Leftovers leftovers = clear_leftovers(directory.path());
  CHECK(leftovers.removed == std::vector<fs::path>{abandoned});
  CHECK(leftovers.completed.empty());
  CHECK(leftovers.stuck.empty());
  CHECK(directory.size() == before - 1);
  CHECK_NOTHROW(alive.commit());
  CHECK(exists(directory / "alive"));
  CHECK(clear_leftovers(directory / "missing").removed.empty());
}

TEST_CASE("a killed writer leaves one temporary, which the next start removes", "[wire]") {
  const TemporaryDirectory directory;
  const pid_t child = ::fork();
  if (child == 0) {
    AtomicFile file(directory / "file", FileAccess::owner_only);
    file.write(std::as_bytes(std::span(kRecord)));
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  CHECK(directory.size() == 1);
  CHECK(clear_leftovers(directory.path()).removed.size() == 1);
  CHECK(directory.size() == 0);
}

}  // namespace fhe::test
