// SPDX-License-Identifier: Apache-2.0
// What commands read as it comes: a file, a pipe, the terminal or standard input.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include <fcntl.h>

#include "apps/support/interrupt.hpp"

namespace fhe::cli {

// How messages call what is read from `path`: "standard input" for "-".
std::string input_name(const std::string& path);

// Has no buffer, which would keep what was read. One thread at a time.
class Input {
 public:
  // Opens `path` with these flags of open(), without waiting for the writer of a pipe; "-" is
  // standard input. One that cannot be opened says so when it is read.
  Input(const std::string& path, const std::stop_token& stop, int flags = O_RDONLY);
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  // -1 for one that could not be opened.
  [[nodiscard]] int descriptor() const { return descriptor_; }

  // Reads on, `out.size()` characters at the most, and returns how many: 0 at the end only. Waits
  // for them, but not past a stop request. Throws Error(io) and Error(stopped).
  [[nodiscard]] std::size_t read(std::span<char> out) const;

 private:
  std::string name_;
  apps::StopEvent stop_;
  int descriptor_;
  int failure_;  // why it could not be opened, the system's error number
};

// Text that a command reads character by character. One thread at a time.
class TextSource {
 public:
  // Of the file; `path` "-" is standard input.
  TextSource(const std::string& path, const std::stop_token& stop);

  // The next character, none at the end. Throws as Input::read().
  [[nodiscard]] std::optional<char> next();

 private:
  Input input_;
  std::array<char, 4096> buffer_{};
  std::size_t filled_ = 0;
  std::size_t position_ = 0;
};

}  // namespace fhe::cli
