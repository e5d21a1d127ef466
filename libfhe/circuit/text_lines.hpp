// Line by line through the text of a circuit file. Not installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libfhe/error.hpp"

namespace fhe {

// The words of one line, and its number, from 1; of a continued line the number of its first part.
struct TextLine {
  std::size_t number = 0;
  std::vector<std::string_view> words;
};

// Splits a text into its lines that hold words. '#' starts a comment; a backslash before the line's
// end continues it where `continued` says so. Words point into the text, which must outlive them.
class TextLines {
 public:
  TextLines(std::string_view text, std::string name, bool continued);

  // Goes to the next line that holds a word, and returns whether there was one.
  bool next(TextLine& line);

  // Bytes of the whole text: what every count in a file is held against.
  [[nodiscard]] std::size_t bytes() const { return text_.size(); }
  // Number of the last line that was looked at.
  [[nodiscard]] std::size_t number() const { return number_; }

  // Error(malformed_file) about a line: "<file>:<line>: <what>".
  [[nodiscard]] Error malformed(std::size_t line, const std::string& what) const;

  // The number that a word stands for. Throws Error(malformed_file) unless it is one of at most
  // `max`, written in digits; `what` names it.
  [[nodiscard]] std::size_t number_in(std::string_view word, std::size_t line, std::size_t max,
                                      std::string_view what) const;

 private:
  std::string_view take_line();

  std::string_view text_;
  std::string_view rest_;
  std::string name_;
  bool continued_;
  std::size_t number_ = 0;
};

// A word of a file for a message: shortened, and without control characters.
[[nodiscard]] std::string shown(std::string_view word);

}  // namespace fhe
