// SPDX-License-Identifier: Apache-2.0
// Numbers in slots as users write and read them: a line for each slot, and in it a number for each
// ciphertext. They are secrets: errors name positions, and never a character.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "apps/cli/output.hpp"
#include "apps/cli/plain_forms.hpp"
#include "libfhe/scheme/she/slots.hpp"

namespace fhe::cli {

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
