// SPDX-License-Identifier: Apache-2.0
// A program of few calls that tells which of them failed, and why: for the tests of the shim.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>

#include <fcntl.h>
#include <unistd.h>

namespace {

void require(bool done, const char* call) {
  if (done) return;
  std::printf("%s: %d\n", call, errno);
  std::exit(0);
}

void write_some(int file, const char* text) {
  const ssize_t written = write(file, text, 4);
  require(written >= 0, "write");
  std::printf("%.*s", static_cast<int>(written), text);
}

// The compiler may leave out what nobody looks at.
void allocate() {
  char* const block = static_cast<char*>(std::malloc(1000));
  require(block != nullptr, "allocate");
  *static_cast<volatile char*>(block) = 1;
  std::free(block);
  errno = 0;
  const std::unique_ptr<char[]> other(new (std::nothrow) char[1000]);
  require(other != nullptr, "allocate");
  static_cast<volatile char*>(other.get())[0] = 1;
}

}  // namespace

int main() {
  allocate();
  const int file = open("new", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  require(file >= 0, "open");
  write_some(file, "1234");
  write_some(file, "5678");
  std::printf(" ");
  require(fsync(file) == 0, "fsync");
  require(close(file) == 0, "close");
  require(rename("new", "named") == 0, "rename");
  const int again = open("named", O_RDONLY);
  require(again >= 0, "open");
  char text[16] = {};
  require(read(again, text, sizeof text - 1) >= 0, "read");
  std::printf("%s\n", text);
  require(close(again) == 0, "close");
}
