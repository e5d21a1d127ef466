// SPDX-License-Identifier: Apache-2.0
// What regmap.toml says, as values.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fhe::fpga::register_map {

// Expressions of regmap.toml, which are written in both languages.
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

struct Entry {
  std::string name;
  std::uint32_t value;
};

// A table of the map, and what its entries are in both languages. An empty C++ type: unsigned
// constants in a namespace; else an enumeration of that type, with a function `name`. Entries have
// the order of their numbers.
struct NumberTable {
  std::string_view table;
  std::string_view cpp_name;
  std::string_view cpp_type;
  std::string_view sv_prefix;
  int sv_bits;
  std::vector<Entry> entries;
};

struct Register {
  std::string name;
  std::uint32_t offset;
  std::string access;
  std::string text;
};

// Bits [high:low] of a word of the descriptor.
struct Field {
  std::string name;
  std::string word;
  unsigned high;
  unsigned low;

  [[nodiscard]] unsigned bits() const { return high - low + 1; }
};

// An argument of a function that makes a command: "src0", or "addend = src1".
struct Argument {
  std::string name;  // empty where it is the operand itself
  std::string operand;
};

struct Opcode {
  std::string name;
  std::uint32_t number;
  std::string function;  // empty where there is none
  std::vector<Argument> arguments;
  std::string computes;
  std::string procedure;
  std::vector<Field> fields;  // in the order of their places
  Expression needs;
  Expression names_context;
  Expression needs_context;
  std::vector<Expression> conditions;
  Expression src0, src1, dst, param;
  bool src0_may_be_dst;
  bool src1_may_be_dst;

  // Null where there is none of this name.
  [[nodiscard]] const Field* field(std::string_view wanted) const;
};

struct Map {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint32_t build_id;
  std::vector<Register> registers;
  std::vector<NumberTable> number_tables;
  std::vector<Opcode> opcodes;

  // Requires that there is such a table.
  [[nodiscard]] const std::vector<Entry>& entries(std::string_view table) const;
  [[nodiscard]] bool has(std::string_view table, std::string_view name) const;
};

// The feature that an expression names: "lhw" of "feature.lhw", empty for other names.
[[nodiscard]] std::string_view feature_of(std::string_view name);

// Throws std::runtime_error where something is missing, or an expression names what is not there.
[[nodiscard]] Map read_map(const std::filesystem::path& file);

}  // namespace fhe::fpga::register_map
