// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

#include "accel/fpga/register_map/map.hpp"

namespace fhe::fpga::register_map {

namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kNameCharacters = "abcdefghijklmnopqrstuvwxyz0123456789_.";
constexpr std::array<std::string_view, 16> kSymbols = {
    "<<", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "?", ":", "(", ")", "and", "or"};

// How many characters from the beginning on are some of these.
std::size_t run_of(std::string_view text, std::string_view characters) {
  return std::min(text.find_first_not_of(characters), text.size());
}

Token::Kind kind_of(std::string_view word) {
  if (word == "not" || std::ranges::find(kSymbols, word) != kSymbols.end())
    return Token::Kind::symbol;
  return word.find_first_not_of(kDigits) == std::string_view::npos ? Token::Kind::number
                                                                   : Token::Kind::name;
}

// The longest token that the text begins with.
std::string_view first_word(std::string_view text) {
  if (const std::size_t length = run_of(text, kNameCharacters); length != 0)
    return text.substr(0, length);
  for (const std::string_view symbol : kSymbols)
    if (text.starts_with(symbol)) return text.substr(0, symbol.size());
  throw std::runtime_error(fmt::format("no expression begins with '{}'", text));
}

// Whether a space stands between two tokens, of which the left one is written like this.
bool are_apart(const Token& left, const std::string& written, const Token& right) {
  const bool is_call = left.kind == Token::Kind::name && right.text == "(";
  return written != "(" && right.text != ")" && written != "!" && !is_call;
}

std::string word(const Token& token, const Spelling& spelling) {
  switch (token.kind) {
    case Token::Kind::number:
      return spelling.number(token.text);
    case Token::Kind::name:
      return spelling.name(token.text);
    default:
      return spelling.symbol(token.text);
  }
}

}  // namespace

std::string operator_of(const std::string& symbol) {
  if (symbol == "and") return "&&";
  if (symbol == "or") return "||";
  return symbol == "not" ? "!" : symbol;
}

Expression parse_expression(std::string_view text) {
  Expression expression;
  while (!(text = text.substr(run_of(text, " "))).empty()) {
    const std::string_view found = first_word(text);
    expression.push_back({kind_of(found), std::string(found)});
    text.remove_prefix(found.size());
  }
  return expression;
}

std::string write_expression(const Expression& expression, const Spelling& spelling) {
  std::string out, last;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    if (i != 0 && are_apart(expression[i - 1], last, expression[i])) out += ' ';
    last = word(expression[i], spelling);
    out += last;
  }
  return out;
}

}  // namespace fhe::fpga::register_map
