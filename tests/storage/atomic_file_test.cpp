// SPDX-License-Identifier: Apache-2.0
#include "libfhe/storage/atomic_file.hpp"

#include <csignal>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

namespace {

using std::filesystem::perms;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string text_of(const std::filesystem::path& path) {
  std::string text;
  for (const std::byte b : read_file(path)) text += static_cast<char>(b);
  return text;
}

void write_whole(const std::filesystem::path& path, std::string_view text,
                 FileAccess access = FileAccess::everyone) {
  AtomicFile file(path, access);
  file.write(bytes_of(text));
  file.commit();
}

// Files of this process may not grow beyond `bytes`: a full disk, as far as write() can tell.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

class Umask {
 public:
  explicit Umask(mode_t mask) : before_(::umask(mask)) {}
  ~Umask() { ::umask(before_); }
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;

 private:
  mode_t before_;
};

// An open file of this process.
class OpenFile {
 public:
  explicit OpenFile(int number) : number_(number) { REQUIRE(number >= 0); }
  ~OpenFile() { ::close(number_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  [[nodiscard]] int number() const { return number_; }

  // What can be read now.
  [[nodiscard]] std::string read() const {
    std::string text(100, '\0');
    const ::ssize_t count = ::read(number_, text.data(), text.size());
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return text;
  }

 private:
  int number_;
};

OpenFile bound_socket(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  REQUIRE(path.native().copy(address.sun_path, sizeof(address.sun_path) - 1) ==
          path.native().size());
  const int number = ::socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(::bind(number, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
  return OpenFile(number);
}

}  // namespace

TEST_CASE("a file is there whole after the commit and not at all before", "[wire]") {
  const TemporaryDirectory directory;
  const auto path = directory / "new";
  AtomicFile file(path, FileAccess::everyone);
  file.write(bytes_of("0123"));
  file.write(bytes_of("456789"));
  file.write_at(2, bytes_of("ab"));
  file.flush();
  CHECK_FALSE(exists(path));
  file.commit();
  CHECK(text_of(path) == "01ab456789");
  CHECK(directory.size() == 1);
}

TEST_CASE("a commit replaces an older file, and without one the older file stays", "[wire]") {
  const TemporaryDirectory directory;
  const auto path = directory / "file";
  write_whole(path, "old");
  {
    AtomicFile dropped(path, FileAccess::everyone);
    dropped.write(bytes_of("dropped"));
    CHECK(directory.size() == 2);
  }
  CHECK(text_of(path) == "old");
  CHECK(directory.size() == 1);
  write_whole(path, "new");
  CHECK(text_of(path) == "new");
  CHECK(directory.size() == 1);
}

TEST_CASE("a moved atomic file is still one file", "[wire]") {
  const TemporaryDirectory directory;
  AtomicFile first(directory / "file", FileAccess::everyone);
  first.write(bytes_of("ab"));
  AtomicFile second(std::move(first));
  second.write(bytes_of("cd"));
  second.commit();
  CHECK(text_of(directory / "file") == "abcd");
  CHECK(directory.size() == 1);
}

TEST_CASE("a new file has the permissions that were asked for", "[wire]") {
  const TemporaryDirectory directory;
  const Umask mask(022);
  write_whole(directory / "everyone", "x", FileAccess::everyone);
  write_whole(directory / "owner", "x", FileAccess::owner_only);
  CHECK(permissions_of(directory / "everyone") == perms(0644));
  CHECK(permissions_of(directory / "owner") == perms(0600));
}

TEST_CASE("a file for the owner only replaces a file that everyone could read", "[wire]") {
  const TemporaryDirectory directory;
  const Umask mask(0);
  write_whole(directory / "file", "x", FileAccess::everyone);
  CHECK(permissions_of(directory / "file") == perms(0666));
  write_whole(directory / "file", "x", FileAccess::owner_only);
  CHECK(permissions_of(directory / "file") == perms(0600));
}

TEST_CASE("names of the greatest length can be written", "[wire]") {
  const TemporaryDirectory directory;
  const std::string name(255, 'n');
  write_whole(directory / name, "x");
  CHECK(text_of(directory / name) == "x");
}

TEST_CASE("a path without a directory is one in the working directory", "[wire]") {
  const TemporaryDirectory directory;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory.path());
  CHECK_NOTHROW(write_whole("file", "x"));
  std::filesystem::current_path(before);
  CHECK(text_of(directory / "file") == "x");
}

TEST_CASE("through a symbolic link the file that it leads to is replaced", "[wire]") {
  const TemporaryDirectory directory;
  create_directory(directory / "elsewhere");
  write_whole(directory / "elsewhere" / "file", "old");
  std::filesystem::create_symlink("elsewhere/file", directory / "link");
  std::filesystem::create_symlink("link", directory / "link to the link");
  write_whole(directory / "link to the link", "new");
  CHECK(text_of(directory / "elsewhere" / "file") == "new");
  CHECK(is_symlink(directory / "link"));
  CHECK(is_symlink(directory / "link to the link"));
  CHECK(directory.size() == 3);
}

TEST_CASE("through a link to nothing a file is made", "[wire]") {
  const TemporaryDirectory directory;
  std::filesystem::create_symlink(directory / "file", directory / "link");
  write_whole(directory / "link", "new");
  CHECK(text_of(directory / "file") == "new");
  CHECK(is_symlink(directory / "link"));
}

TEST_CASE("links in a circle are refused", "[wire]") {
  const TemporaryDirectory directory;
  std::filesystem::create_symlink("b", directory / "a");
  std::filesystem::create_symlink("a", directory / "b");
  CHECK_THROWS_MATCHES(AtomicFile(directory / "a", FileAccess::everyone), Error,
                       HasCode(ErrorCode::io, "circles"));
  CHECK(directory.size() == 2);
}

TEST_CASE("a secret is written to its owner's files only, and through no link", "[wire]") {
  const TemporaryDirectory directory;
  write_whole(directory / "file", "old");
  std::filesystem::create_symlink("file", directory / "link");
  CHECK_THROWS_MATCHES(AtomicFile(directory / "link", FileAccess::owner_only), Error,
                       HasCode(ErrorCode::io, "a secret is not written through one"));
  CHECK_THROWS_MATCHES(AtomicFile("/dev/null", FileAccess::owner_only), Error,
                       HasCode(ErrorCode::io, "a secret is written to nothing else"));
  CHECK_THROWS_MATCHES(AtomicFile("/dev/stdout", FileAccess::owner_only), Error,
                       HasCode(ErrorCode::io, "link"));
  CHECK(text_of(directory / "file") == "old");
  CHECK(directory.size() == 2);
}

TEST_CASE("a pipe gets everything at the commit, and nothing without one", "[wire]") {
  const TemporaryDirectory directory;
  const auto path = directory / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  const OpenFile reader(::open(path.c_str(), O_RDONLY | O_NONBLOCK));
  {
    AtomicFile dropped(path, FileAccess::everyone);
    dropped.write(bytes_of("dropped"));
  }
  AtomicFile file(path, FileAccess::everyone);
  file.write(bytes_of("0123"));
  file.write_at(0, bytes_of("ab"));
  file.flush();
  CHECK(reader.read().empty());
  file.commit();
  CHECK(reader.read() == "ab23");
  CHECK(is_fifo(path));
  CHECK(directory.size() == 1);
}

TEST_CASE("an open file of the process is written into, and keeps its name", "[wire]") {
  const TemporaryDirectory directory;
  write_whole(directory / "file", "before ");
  const OpenFile out(::open((directory / "file").c_str(), O_RDWR | O_APPEND));
  for (const std::string folder : {"/dev/fd/", "/proc/self/fd/"}) {
    write_whole(folder + std::to_string(out.number()), "x");
  }
  std::filesystem::create_symlink("/dev/fd/" + std::to_string(out.number()), directory / "link");
  write_whole(directory / "link", "y");
  CHECK(text_of(directory / "file") == "before xxy");
  CHECK(directory.size() == 2);
}

TEST_CASE("a device is written into, and stays one", "[wire]") {
  const std::filesystem::path null("/dev/null");
  const std::filesystem::path full("/dev/full");
  write_whole(null, "gone");
  CHECK(is_character_file(null));
  CHECK_THROWS_MATCHES(write_whole(full, "x"), Error,
                       HasCode(ErrorCode::io, "'/dev/full': No space left on device"));
  CHECK(is_character_file(full));
}

TEST_CASE("a missing directory is refused at once, with the path and the reason", "[wire]") {
  const TemporaryDirectory directory;
  const auto path = directory / "missing" / "file";
  CHECK_THROWS_MATCHES(AtomicFile(path, FileAccess::everyone), Error,
                       HasCode(ErrorCode::io, path.string()));
  CHECK_THROWS_MATCHES(AtomicFile(path, FileAccess::everyone), Error,
                       HasCode(ErrorCode::io, "No such file or directory; create the directory"));
}

TEST_CASE("a directory without write permission is refused at once", "[wire]") {
  if (::geteuid() == 0) return;  // the superuser may write anywhere
  const TemporaryDirectory directory;
  permissions(directory.path(), perms(0500));
  CHECK_THROWS_MATCHES(AtomicFile(directory / "file", FileAccess::everyone), Error,
                       HasCode(ErrorCode::io, "Permission denied"));
  permissions(directory.path(), perms(0700));
}

TEST_CASE("targets that cannot be written to are refused and left alone", "[wire]") {
  const TemporaryDirectory directory;
  create_directory(directory / "sub");
  CHECK_THROWS_MATCHES(AtomicFile(directory / "sub", FileAccess::everyone), Error,
                       HasCode(ErrorCode::io, "it is a directory"));
  CHECK_THROWS_MATCHES(AtomicFile(directory / "sub/", FileAccess::everyone), Error,
                       HasCode(ErrorCode::io, "not a file"));
  CHECK_THROWS_MATCHES(AtomicFile("", FileAccess::everyone), Error, HasCode(ErrorCode::io));
  const OpenFile socket = bound_socket(directory / "socket");
  CHECK_THROWS_MATCHES(AtomicFile(directory / "socket", FileAccess::everyone), Error,
                       HasCode(ErrorCode::io, "no regular file"));
  std::filesystem::create_symlink("socket", directory / "link");
  CHECK_THROWS_MATCHES(AtomicFile(directory / "link", FileAccess::everyone), Error,
                       HasCode(ErrorCode::io, "no regular file"));
  CHECK(directory.size() == 3);
}

TEST_CASE("a full disk is an error that leaves the older file and no temporary", "[wire]") {
  const TemporaryDirectory directory;
  const auto path = directory / "file";
  write_whole(path, "old");
  {
    AtomicFile file(path, FileAccess::everyone);
    const std::string block(1000, 'x');
    const FileSizeLimit limit(2500);
    file.write(bytes_of(block));
    file.write(bytes_of(block));
    CHECK_THROWS_MATCHES(file.write(bytes_of(block)), Error,
                         HasCode(ErrorCode::io, "File too large; free some space"));
    CHECK(directory.size() == 1);
    CHECK_THROWS_MATCHES(file.write(bytes_of("x")), Error, HasCode(ErrorCode::io));
    CHECK_THROWS_MATCHES(file.write_at(0, bytes_of("x")), Error, HasCode(ErrorCode::io));
    CHECK_THROWS_MATCHES(file.commit(), Error, HasCode(ErrorCode::io));
  }
  CHECK(text_of(path) == "old");
  CHECK(directory.size() == 1);
}

TEST_CASE("a target that became a directory is an error that leaves no temporary", "[wire]") {
  const TemporaryDirectory directory;
  AtomicFile file(directory / "file", FileAccess::everyone);
  create_directory(directory / "file");
  CHECK_THROWS_MATCHES(file.commit(), Error, HasCode(ErrorCode::io, (directory / "file").string()));
  CHECK(directory.size() == 1);
}

}  // namespace fhe::test
