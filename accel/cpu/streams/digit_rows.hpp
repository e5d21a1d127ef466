// SPDX-License-Identifier: Apache-2.0
// Numbers in eight lanes as rows of 52-bit digits, least significant first: carries, and the way
// back to 64-bit words.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fhe::cpu {

// Moves what exceeds 52 bits of each of the first `rows` - 1 rows into the next one. Afterwards
// those digits are in [0, 2^52) and the last row holds the rest. `carry_digits` takes digits as
// unsigned, `carry_signed_digits` as signed numbers.
void carry_digits(std::uint64_t* digits, std::size_t rows);
void carry_signed_digits(std::uint64_t* digits, std::size_t rows);

// The first `word_rows` words of the number. Requires digits in [0, 2^52) and enough of them:
// digit_rows * 52 >= word_rows * 64 + 104.
void words_from_digits(const std::uint64_t* digits, std::uint64_t* words, std::size_t word_rows);

}  // namespace fhe::cpu
