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

// How a language writes numbers and names; symbols and `and`, `or`, `not` are those of C++ in both.
struct Spelling {
  std::function<std::string(const std::string&)> number;
  std::function<std::string(const std::string&)> name;
};

[[nodiscard]] std::string write_expression(const Expression& expression, const Spelling& spelling);

}  // namespace fhe::fpga::register_map
