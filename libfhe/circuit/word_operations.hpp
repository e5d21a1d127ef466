// SPDX-License-Identifier: Apache-2.0
// The operations of circuit/word.hpp by name, as circuits: for command lines and services, which
// know only when they run what is to be computed.
//
//   const Netlist sum = word_circuit(word_operation_named("add"), {{8}, {8}});
//   const CircuitResult result = run_circuit(sum, evaluator, bits_of_both_words);
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "libfhe/circuit/netlist.hpp"
#include "libfhe/circuit/number.hpp"
#include "libfhe/circuit/word.hpp"
#include "libfhe/export.hpp"

namespace fhe {

// What an operand of an operation is.
enum class WordRole {
  number,  // all numbers of an operation have the same width
  choice,  // one bit
  places,  // how far to shift: a number without a sign, of any width
};

// An operation on words by name: "add", "sub", "mul", "div", "rem", "neg", "abs", "min", "max",
// "equal", "not-equal", "less", "less-equal", "greater", "greater-equal", "mux" (choice first),
// "shl", "shr", "popcount".
struct FHE_EXPORT NamedWordOperation {
  std::string_view name;        // in lower case
  std::string_view meaning;     // for help texts: "x + y"
  std::vector<WordRole> roles;  // of its operands
  // The operation on words of these roles.
  std::function<Word<NetlistBuilder>(const std::vector<Word<NetlistBuilder>>&, Sign)> apply;
};

// All of them, in a fixed order.
FHE_EXPORT const std::vector<NamedWordOperation>& named_word_operations();

// The operation of that name, in upper or lower case. Throws Error(unknown_name), listing what
// there is.
FHE_EXPORT const NamedWordOperation& word_operation_named(std::string_view name);

// An operand of a circuit: an input word of so many bits, or a public number.
struct FHE_EXPORT WordOperand {
  std::size_t width = 0;                           // in bits
  std::optional<std::vector<bool>> constant = {};  // its bits, as many as `width`
};

// How an operation reads its operands.
struct FHE_EXPORT WordReading {
  Sign sign = Sign::none;                 // of the numbers
  std::optional<std::size_t> width = {};  // that numbers are brought to first: cut, or extended
};

// The circuit of an operation: its input words are in0, in1, ... for the operands that are no
// constants, its output word is out. Numbers are taken modulo 2^width, division by zero gives what
// circuit/word.hpp says, comparisons give one bit, popcount gives as many as its result may take.
// "abs" reads its operand in two's complement always. Throws Error(invalid_argument) for operands
// that do not have the number, the widths or the roles that the operation takes.
[[nodiscard]] FHE_EXPORT Netlist word_circuit(const NamedWordOperation& operation,
                                              const std::vector<WordOperand>& operands,
                                              const WordReading& reading = {});

}  // namespace fhe
