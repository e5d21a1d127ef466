// SPDX-License-Identifier: Apache-2.0
// Expressions of regmap.toml, which are written in both languages.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fhe::fpga::register_map {

struct Token {
  enum class Kind { number, name, symbol };
  Kind kind;
  std::string text;
};

using Expression = std::vector<Token>;

// Throws std::runtime_error for a character that no expression has.
[[nodiscard]] Expression parse_expression(std::string_view text);

// "&&" for "and", and so on: what C++ and SystemVerilog have in common.
[[nodiscard]] std::string operator_of(const std::string& symbol);

// How numbers, names and symbols are written.
struct Spelling {
  std::function<std::string(const std::string&)> number = std::identity{};
  std::function<std::string(const std::string&)> name = std::identity{};
  std::function<std::string(const std::string&)> symbol = operator_of;
};

[[nodiscard]] std::string write_expression(const Expression& expression, const Spelling& spelling);

}  // namespace fhe::fpga::register_map
