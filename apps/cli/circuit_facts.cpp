// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/circuit_facts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "libfhe/error.hpp"
#include "libfhe/storage/container.hpp"

namespace fhe::cli {

namespace {

std::size_t width_of(const InputWord& word) {
  return word.width;
}
std::size_t width_of(const OutputWord& word) {
  return word.wires.size();
}

template <class Word>
std::string text_of(std::span<const Word> words) {
  std::vector<std::string> texts;
  texts.reserve(words.size());
  for (const Word& word : words) texts.push_back(fmt::format("{}[{}]", word.name, width_of(word)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

template <class Word>
Json json_of(std::span<const Word> words) {
  Json list = Json::array();
  for (const Word& word : words) list.push_back({{"name", word.name}, {"width", width_of(word)}});
  return list;
}

bool is_digit(char c, bool hexadecimal) {
  const bool letter = (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  return (c >= '0' && c <= '9') || (hexadecimal && letter);
}

}  // namespace

std::string words_text(std::span<const InputWord> words) {
  return text_of(words);
}
std::string words_text(std::span<const OutputWord> words) {
  return text_of(words);
}
Json words_json(std::span<const InputWord> words) {
  return json_of(words);
}
Json words_json(std::span<const OutputWord> words) {
  return json_of(words);
}

std::vector<bool> parse_number(const std::string& text, const InputWord& word) {
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  const std::string digits = hexadecimal ? text.substr(2) : text;
  const bool is_number = !digits.empty() && std::ranges::all_of(digits, [&](char c) {
    return is_digit(c, hexadecimal);
  });
  if (!is_number) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("'{}' for input '{}' is no number: write it in decimal, or in "
                            "hexadecimal after 0x",
                            text, word.name));
  }
  const Integer value(digits, hexadecimal ? 16 : 10);
  if (bit_length(value) > word.width) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} has {} bits and input '{}' takes {}", text, bit_length(value),
                            word.name, word.width));
  }
  std::vector<bool> bits(word.width);
  for (std::size_t i = 0; i < word.width; ++i) bits[i] = mpz_tstbit(value.get_mpz_t(), i) != 0;
  return bits;
}

std::string hex_text(const std::vector<bool>& bits, std::size_t first, std::size_t width) {
  std::string text = "0x";
  for (std::size_t digit = (width + 3) / 4; digit-- > 0;) {
    unsigned value = 0;
    for (std::size_t i = 4 * digit; i < std::min(4 * digit + 4, width); ++i) {
      value |= (bits[first + i] ? 1U : 0U) << (i % 4);
    }
    text += fmt::format("{:x}", value);
  }
  return text;
}

bool holds_program(const std::string& path) {
  std::array<std::byte, kAnnouncingBytes> start{};
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(start.data()), start.size());
  return file && announced_kind(start) == ObjectKind::program;
}

}  // namespace fhe::cli
