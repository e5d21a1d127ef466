// SPDX-License-Identifier: Apache-2.0
// Line by line through the text of a circuit file. Not installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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
  // Readers keep places in the text and counts of what it holds in 32 bits.
  static constexpr std::size_t kMaxBytes = 0xffff'ffff;

  // Throws Error(malformed_file) for a text of more than kMaxBytes.
  TextLines(std::string_view text, std::string name, bool continued);

  // Goes to the next line that holds a word, and returns whether there was one.
  bool next(TextLine& line);

  // Bytes of the whole text: what every count in a file is held against.
  [[nodiscard]] std::size_t bytes() const { return text_.size(); }
  // Number of the last line that was looked at.
  [[nodiscard]] std::size_t number() const { return number_; }

  // Error(malformed_file) about a line: "<file>:<line>: <what>".
  [[nodiscard]] Error malformed(std::size_t line, const std::string& what) const;

  // Word `index` of a line. Throws Error(malformed_file) when the line has fewer.
  [[nodiscard]] std::string_view word(const TextLine& line, std::size_t index) const;

  // The number that a word stands for. Throws Error(malformed_file) unless it is one of at most
  // `max`, written in digits; `what` names it.
  [[nodiscard]] std::size_t number_in(std::string_view word, std::size_t line, std::size_t max,
                                      std::string_view what) const;

  // The same for a place in a list of `size` values, from 0 on: the list may be empty, and then no
  // number is one. Lists that a file has numbers for are NumberedValues, which ask here.
  [[nodiscard]] std::size_t place_in(std::string_view word, std::size_t line, std::size_t size,
                                     std::string_view what) const;

 private:
  std::string_view take_line();

  std::string_view text_;
  std::string_view rest_;
  std::string name_;
  bool continued_;
  std::size_t number_ = 0;
};

// What the lines of a file call by numbers, from 0 on. A value is found by a word of the file and
// in no other way, and the word is checked here: a look-up of what is not there cannot be written.
template <class T>
class NumberedValues {
 public:
  // `what` names one of the values in messages; it and the lines must outlive this object.
  NumberedValues(const TextLines& lines, std::string_view what) : lines_(lines), what_(what) {}

  // The values, in the order of their numbers.
  void assign(std::vector<T> values) { values_ = std::move(values); }

  // The value that a word of line `line` stands for. Throws Error(malformed_file) when the word is
  // no number, or not that of a value.
  [[nodiscard]] T& at(std::string_view word, std::size_t line) {
    return values_[lines_.place_in(word, line, values_.size(), what_)];
  }

  [[nodiscard]] auto begin() const { return values_.begin(); }
  [[nodiscard]] auto end() const { return values_.end(); }

 private:
  const TextLines& lines_;
  std::string_view what_;
  std::vector<T> values_;
};

// The text behind the mark of UTF-8 that some editors put before it.
[[nodiscard]] std::string_view without_byte_order_mark(std::string_view text);

// A word of a file for a message: shortened, and without control characters.
[[nodiscard]] std::string shown(std::string_view word);

}  // namespace fhe
