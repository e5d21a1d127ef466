// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/text_lines.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace fhe {

namespace {

constexpr std::string_view kBlanks = " \t\r\f\v";
constexpr std::size_t kShownCharacters = 64;

void append_words(std::string_view line, std::vector<std::string_view>& words) {
  while (true) {
    const std::size_t start = line.find_first_not_of(kBlanks);
    if (start == std::string_view::npos) return;
    line.remove_prefix(start);
    const std::size_t size = std::min(line.find_first_of(kBlanks), line.size());
    words.push_back(line.substr(0, size));
    line.remove_prefix(size);
  }
}

std::string_view without_comment(std::string_view line) {
  return line.substr(0, line.find('#'));
}

// Removes the mark at the end of a line that goes on in the next, and returns whether it was there.
bool remove_continuation(std::string_view& line) {
  const std::size_t last = line.find_last_not_of(kBlanks);
  if (last == std::string_view::npos || line[last] != '\\') return false;
  line = line.substr(0, last);
  return true;
}

}  // namespace

TextLines::TextLines(std::string_view text, std::string name, bool continued)
    : text_(text), rest_(text), name_(std::move(name)), continued_(continued) {
  if (text.size() <= kMaxBytes) return;
  throw malformed(0, fmt::format("a circuit of {} bytes; {} are the most that can be read",
                                 text.size(), kMaxBytes));
}

std::string_view TextLines::take_line() {
  ++number_;
  const std::size_t end = rest_.find('\n');
  const std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  return line;
}

bool TextLines::next(TextLine& line) {
  line.words.clear();
  while (line.words.empty() && !rest_.empty()) {
    line.number = number_ + 1;
    bool goes_on = true;
    while (goes_on && !rest_.empty()) {
      std::string_view part = without_comment(take_line());
      goes_on = continued_ && remove_continuation(part);
      append_words(part, line.words);
    }
  }
  return !line.words.empty();
}

Error TextLines::malformed(std::size_t line, const std::string& what) const {
  return {ErrorCode::malformed_file, fmt::format("{}:{}: {}", name_, line, what)};
}

std::string_view TextLines::word(const TextLine& line, std::size_t index) const {
  if (index < line.words.size()) return line.words[index];
  throw malformed(line.number, fmt::format("the line ends after {} words", line.words.size()));
}

std::size_t TextLines::number_in(std::string_view word, std::size_t line, std::size_t max,
                                 std::string_view what) const {
  std::size_t value = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, failure] = std::from_chars(word.data(), end, value);
  if (stop != end || failure == std::errc::invalid_argument) {
    throw malformed(line, fmt::format("{} is '{}', not a number", what, shown(word)));
  }
  if (failure != std::errc() || value > max) {
    throw malformed(line,
                    fmt::format("{} is {}; here it can be at most {}", what, shown(word), max));
  }
  return value;
}

std::size_t TextLines::place_in(std::string_view word, std::size_t line, std::size_t size,
                                std::string_view what) const {
  if (size > 0) return number_in(word, line, size - 1, what);
  throw malformed(line, fmt::format("{} is {}; here there is none", what, shown(word)));
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  return text;
}

std::string shown(std::string_view word) {
  std::string text(word.substr(0, kShownCharacters));
  std::ranges::replace_if(
      text, [](char c) { return c < ' ' || c > '~'; }, '?');
  return word.size() > kShownCharacters ? text + "..." : text;
}

}  // namespace fhe
