// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/word_operations.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "libfhe/circuit/builder.hpp"
#include "libfhe/error.hpp"
#include "libfhe/memory_errors.hpp"

namespace fhe {

namespace {

using Wires = Word<NetlistBuilder>;
using Operands = std::vector<Wires>;

Wires one_bit(const Bit<NetlistBuilder>& bit) {
  return {bit.algebra(), Wires::Bits{bit}};
}

Bit<NetlistBuilder> is_less(const Wires& x, const Wires& y, Sign sign) {
  return sign == Sign::last ? less_signed(x, y) : less(x, y);
}

Division<NetlistBuilder> divided(const Operands& x, Sign sign) {
  return sign == Sign::last ? divide_signed(x[0], x[1]) : divide(x[0], x[1]);
}

NamedWordOperation of_two(std::string_view name, std::string_view meaning,
                          std::function<Wires(const Operands&, Sign)> apply) {
  return {name, meaning, {WordRole::number, WordRole::number}, std::move(apply)};
}

NamedWordOperation of_one(std::string_view name, std::string_view meaning,
                          std::function<Wires(const Operands&, Sign)> apply) {
  return {name, meaning, {WordRole::number}, std::move(apply)};
}

NamedWordOperation of_shift(std::string_view name, std::string_view meaning,
                            std::function<Wires(const Operands&, Sign)> apply) {
  return {name, meaning, {WordRole::number, WordRole::places}, std::move(apply)};
}

std::vector<NamedWordOperation> arithmetic() {
  return {of_two("add", "x + y", [](const Operands& x, Sign) { return x[0] + x[1]; }),
          of_two("sub", "x - y", [](const Operands& x, Sign) { return x[0] - x[1]; }),
          of_two("mul", "x * y", [](const Operands& x, Sign) { return x[0] * x[1]; }),
          of_two("div", "x / y, towards zero",
                 [](const Operands& x, Sign sign) { return divided(x, sign).quotient; }),
          of_two("rem", "x % y, of the sign of x",
                 [](const Operands& x, Sign sign) { return divided(x, sign).remainder; }),
          of_one("neg", "-x", [](const Operands& x, Sign) { return -x[0]; }),
          of_one("abs", "|x|, of x in two's complement",
                 [](const Operands& x, Sign) { return negated_if(x[0].bits().back(), x[0]); }),
          of_two("min", "the smaller",
                 [](const Operands& x, Sign sign) {
                   return mux(is_less(x[0], x[1], sign), x[0], x[1]);
                 }),
          of_two("max", "the larger", [](const Operands& x, Sign sign) {
            return mux(is_less(x[0], x[1], sign), x[1], x[0]);
          })};
}

std::vector<NamedWordOperation> comparisons() {
  return {
      of_two("equal", "x = y", [](const Operands& x, Sign) { return one_bit(x[0] == x[1]); }),
      of_two("not-equal", "x != y", [](const Operands& x, Sign) { return one_bit(x[0] != x[1]); }),
      of_two("less", "x < y",
             [](const Operands& x, Sign sign) { return one_bit(is_less(x[0], x[1], sign)); }),
      of_two("less-equal", "x <= y",
             [](const Operands& x, Sign sign) { return one_bit(~is_less(x[1], x[0], sign)); }),
      of_two("greater", "x > y",
             [](const Operands& x, Sign sign) { return one_bit(is_less(x[1], x[0], sign)); }),
      of_two("greater-equal", "x >= y",
             [](const Operands& x, Sign sign) { return one_bit(~is_less(x[0], x[1], sign)); })};
}

std::vector<NamedWordOperation> movements() {
  return {{"mux",
           "c ? x : y",
           {WordRole::choice, WordRole::number, WordRole::number},
           [](const Operands& x, Sign) { return mux(x[0][0], x[1], x[2]); }},
          of_shift("shl", "x << n", [](const Operands& x, Sign) { return x[0] << x[1]; }),
          of_shift("shr", "x >> n, filling with zeros, or with the sign",
                   [](const Operands& x, Sign sign) {
                     return sign == Sign::last ? shift_right_signed(x[0], x[1]) : x[0] >> x[1];
                   }),
          of_one("popcount", "how many bits are set",
                 [](const Operands& x, Sign) { return popcount(x[0]); })};
}

std::vector<NamedWordOperation> all_operations() {
  std::vector<NamedWordOperation> all;
  for (auto part : {arithmetic(), comparisons(), movements()}) {
    std::ranges::move(part, std::back_inserter(all));
  }
  return all;
}

Wires word_of(NetlistBuilder& builder, const WordOperand& operand, const std::string& name) {
  if (!operand.constant) return input_word(builder, name, operand.width);
  if (operand.constant->size() != operand.width) {
    throw Error(ErrorCode::invalid_argument, fmt::format("a constant of {} bits has {} of them",
                                                         operand.width, operand.constant->size()));
  }
  Wires::Bits bits;
  for (const bool bit : *operand.constant) {
    bits.push_back(Bit<NetlistBuilder>::known(builder, bit));
  }
  return {builder, std::move(bits)};
}

Wires brought_to_width(const Wires& word, const WordReading& reading) {
  const std::size_t width = reading.width.value_or(word.width());
  return reading.sign == Sign::last ? resized_signed(word, width) : word.resized(width);
}

void require_width(const WordReading& reading) {
  if (!reading.width || (*reading.width > 0 && *reading.width <= kMaxWires)) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("numbers of {} bits: a width is at least 1 and at most {}",
                          *reading.width, kMaxWires));
}

void require_operands(const NamedWordOperation& operation,
                      const std::vector<WordOperand>& operands) {
  if (operands.size() != operation.roles.size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("'{}' takes {} operands, not {}", operation.name,
                            operation.roles.size(), operands.size()));
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::size_t width = operands[i].width;
    if (width == 0 || (operation.roles[i] == WordRole::choice && width != 1)) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("operand {} of '{}' has {} bits and takes {}", i + 1, operation.name,
                              width, width == 0 ? "at least one" : "one"));
    }
  }
}

Netlist built(const NamedWordOperation& operation, const std::vector<WordOperand>& operands,
              const WordReading& reading) {
  require_operands(operation, operands);
  require_width(reading);
  NetlistBuilder builder;
  Operands words;
  std::size_t inputs = 0;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    Wires word = word_of(builder, operands[i], fmt::format("in{}", inputs));
    if (!operands[i].constant) ++inputs;
    const bool is_number = operation.roles[i] == WordRole::number;
    words.push_back(is_number ? brought_to_width(word, reading) : std::move(word));
  }
  output_word(builder, "out", operation.apply(words, reading.sign));
  return builder.build();
}

const NamedWordOperation& operation_called(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::vector<std::string_view> known;
  for (const NamedWordOperation& operation : named_word_operations()) {
    if (operation.name == lower) return operation;
    known.push_back(operation.name);
  }
  throw Error(ErrorCode::unknown_name,
              fmt::format("no operation named '{}'; there are: {}", name, fmt::join(known, ", ")));
}

}  // namespace

const std::vector<NamedWordOperation>& named_word_operations() {
  static const auto* const operations = reporting_memory([] {
    return new std::vector<NamedWordOperation>(all_operations());  // used until the end
  });
  return *operations;
}

const NamedWordOperation& word_operation_named(std::string_view name) {
  return reporting_memory([&]() -> const NamedWordOperation& { return operation_called(name); });
}

Netlist word_circuit(const NamedWordOperation& operation, const std::vector<WordOperand>& operands,
                     const WordReading& reading) {
  return reporting_memory([&] { return built(operation, operands, reading); });
}

}  // namespace fhe
