// Text that a command reads as it comes: from a file, a pipe or standard input.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>

#include "apps/cli/interrupt.hpp"

namespace fhe::cli {

// One thread at a time.
class TextSource {
 public:
  // Opens the file, without waiting for the writer of a pipe; `path` "-" is standard input. Throws
  // Error(io).
  TextSource(const std::string& path, const std::stop_token& stop);
  ~TextSource();
  TextSource(const TextSource&) = delete;
  TextSource& operator=(const TextSource&) = delete;

  // The next character, none at the end. Waits for it, but not past a stop request. Throws
  // Error(io) and Error(stopped).
  [[nodiscard]] std::optional<char> next();

 private:
  // Reads on; false at the end.
  [[nodiscard]] bool fill();

  std::string name_;  // what messages call it
  StopEvent stop_;
  int descriptor_;
  std::array<char, 4096> buffer_{};
  std::size_t filled_ = 0;
  std::size_t position_ = 0;
};

}  // namespace fhe::cli
