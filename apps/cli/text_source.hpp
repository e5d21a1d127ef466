// SPDX-License-Identifier: Apache-2.0
// Text that a command reads character by character.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>

#include "apps/cli/input.hpp"

namespace fhe::cli {

// One thread at a time.
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
