// SPDX-License-Identifier: Apache-2.0
// Texts of plug-ins, as terminals may see them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace fhe::plugin {

// The text with a space in place of every control character: on one line, and without a sequence
// that a terminal obeys.
inline std::string one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(
      line, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
  // U+0080 to U+009F, which are two bytes each.
  for (std::size_t i = 1; i < line.size(); ++i) {
    const auto second = static_cast<unsigned char>(line[i]);
    if (line[i - 1] == '\xc2' && second >= 0x80 && second < 0xa0) line.replace(i - 1, 2, "  ");
  }
  return line;
}

}  // namespace fhe::plugin
