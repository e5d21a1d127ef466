// SPDX-License-Identifier: Apache-2.0
// What is said about circuits, and numbers as words of bits.
#pragma once

#include <string>
#include <vector>

#include "apps/cli/output.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/circuit/netlist.hpp"

namespace fhe::cli {

// "x[32], y[32]": names and widths of the words.
std::string words_text(const std::vector<InputWord>& words);
std::string words_text(const std::vector<OutputWord>& words);

// {"name", "width"} for each.
Json words_json(const std::vector<InputWord>& words);
Json words_json(const std::vector<OutputWord>& words);

// The bits, bit 0 first, of a number written in decimal, or in hexadecimal after 0x. Throws
// Error(invalid_argument), naming the word, for anything else and for numbers that do not fit.
std::vector<bool> parse_number(const std::string& text, const InputWord& word);

// The number of `width` bits from bits[first] on, bit 0 first; in hexadecimal with all its digits.
std::string hex_text(const std::vector<bool>& bits, std::size_t first, std::size_t width);

}  // namespace fhe::cli
