// SPDX-License-Identifier: Apache-2.0
// A terminal for a process: what the process shows there, and what is typed.
#pragma once

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

namespace fhe::test {

class Terminal {
 public:
  Terminal() : screen_(posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)) {
    if (screen_ < 0 || grantpt(screen_) != 0 || unlockpt(screen_) != 0) {
      throw std::runtime_error("cannot make a terminal");
    }
  }
  ~Terminal() { close(screen_); }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // The file that it is.
  [[nodiscard]] std::string name() const { return ptsname(screen_); }

  // All that was shown so far. To be called while the process runs: it holds a few kilobytes, and
  // whoever writes more waits.
  [[nodiscard]] const std::string& shown() {
    std::array<char, 4096> piece{};
    for (ssize_t bytes = 0; (bytes = read(screen_, piece.data(), piece.size())) > 0;) {
      shown_.append(piece.data(), static_cast<std::size_t>(bytes));
    }
    return shown_;
  }

  void type(const std::string& keys) const {
    if (write(screen_, keys.data(), keys.size()) != static_cast<ssize_t>(keys.size())) {
      throw std::runtime_error("cannot type");
    }
  }

  // Whether what is typed is shown.
  [[nodiscard]] bool echoes() const {
    termios settings{};
    if (tcgetattr(screen_, &settings) != 0) throw std::runtime_error("cannot ask the terminal");
    return (settings.c_lflag & ECHO) != 0;
  }

 private:
  int screen_;
  std::string shown_;
};

}  // namespace fhe::test
