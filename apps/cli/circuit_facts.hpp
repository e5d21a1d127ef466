// SPDX-License-Identifier: Apache-2.0
// What is said about circuits, and numbers as words of bits.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/cli/output.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/circuit/netlist.hpp"
#include "libfhe/circuit/program.hpp"

namespace fhe::cli {

// "x[32], y[32]": names and widths of the words.
std::string words_text(std::span<const InputWord> words);
std::string words_text(std::span<const OutputWord> words);

// {"name", "width"} for each.
Json words_json(std::span<const InputWord> words);
Json words_json(std::span<const OutputWord> words);

// Which circuits can be read, for the help of commands.
inline constexpr const char* kCircuitFormats =
    "Circuit: BLIF when its name ends in .blif, JSON of Yosys in .json, AIGER in .aag or .aig, "
    "Bristol Fashion otherwise";

// The bits, bit 0 first, of a number written in decimal, or in hexadecimal after 0x. Throws
// Error(invalid_argument), naming the word, for anything else and for numbers that do not fit.
std::vector<bool> parse_number(const std::string& text, const InputWord& word);

// The number of `width` bits from bits[first] on, bit 0 first; in hexadecimal with all its digits.
std::string hex_text(const std::vector<bool>& bits, std::size_t first, std::size_t width);

// What a compiled circuit holds and what it costs.
Report program_report(const CircuitProgram& program);

// Whether the file holds a compiled circuit (`fhe circuit compile`).
bool holds_program(const std::string& path);

}  // namespace fhe::cli
