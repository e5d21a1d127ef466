// SPDX-License-Identifier: Apache-2.0
// The forms in which users write what is encrypted and read what is decrypted: bits, numbers,
// hexadecimal digits and texts. All of them are secrets: errors name positions and widths, and
// never a character.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/cli/output.hpp"
#include "libfhe/scheme/she/slots.hpp"

namespace fhe::cli {

enum class PlainForm {
  bits,    // digits 0 and 1, bit 0 first
  number,  // decimal, or hexadecimal after 0x; below zero in two's complement
  hex,     // hexadecimal digits of a number, the highest first, with or without 0x
  text,    // bytes, bit 0 of each first
};

// "bits", "number", "hex", "text".
const std::vector<std::string>& plain_form_names();

// The form of one of these names.
PlainForm plain_form_named(std::string_view name);

// The characters of a text, one for each call; none at its end.
using Characters = std::function<std::optional<char>()>;

// Those of a text that outlives them.
Characters characters_of(std::string_view text);

// What a text may stand for.
struct PlainShape {
  std::optional<std::uint64_t> width;  // bits of the number; hex digits have four each without it
  std::uint64_t most = 0;              // bits
};

// The bits, bit 0 first, that a text in this form stands for. Throws Error(invalid_argument) for
// any other text, for a width where there is none or none where there must be one, and for no bits
// or more than `shape.most`; its message begins with `origin`.
std::vector<bool> read_plain(PlainForm form, const Characters& next, std::string_view origin,
                             const PlainShape& shape);

// The bits of the slots of ciphertexts, from a text with a line in this form for each slot; empty
// lines are ignored. Result k: the slots of ciphertext k. Throws Error(invalid_argument) as
// read_plain() for each line, for lines of different numbers of bits, and for no line; its message
// begins with `origin`.
std::vector<std::vector<bool>> read_slots(PlainForm form, const Characters& next,
                                          std::string_view origin, const PlainShape& shape);

// The number of these bits in decimal, bit 0 first; `is_signed`: in two's complement.
std::string decimal_text(const std::vector<bool>& bits, bool is_signed);

// The text of these bits. Throws Error(invalid_argument) unless they are whole bytes of UTF-8.
std::string text_of(const std::vector<bool>& bits);

// The same text (UTF-8) with its control characters, except line feeds and tabs, as \x1b: a
// terminal would obey them.
std::string without_controls(std::string_view text);

// Numbers in slots as users write and read them: a line for each slot, and in it a number for each
// ciphertext. They are secrets: errors name positions, and never a character.

// The numbers of the slots of ciphertexts, modulo Q: row k is ciphertext k. A line has decimal
// numbers between -Q and Q with blanks between them, as many as every other; empty lines are
// ignored. Throws Error(invalid_argument) for anything else, and for more lines or numbers in a
// line than `most`; its message begins with `origin`.
std::vector<she::SlotNumbers> read_slot_numbers(const Characters& next, std::string_view origin,
                                                std::uint64_t modulus, std::uint64_t most);

// What these rows are, in the same form; `is_signed`: in (-Q/2, Q/2].
Report slot_numbers_report(const std::vector<she::SlotNumbers>& rows, std::uint64_t modulus,
                           bool is_signed);

}  // namespace fhe::cli
