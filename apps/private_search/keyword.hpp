// SPDX-License-Identifier: Apache-2.0
// Keywords and lists of them, and how they are written in bits.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fhe::private_search {

inline constexpr std::size_t kMaxCharacters = 8;
inline constexpr std::size_t kKeywordBits = 48;
inline constexpr std::size_t kMaxKeywords = 64;  // for each slot

using KeywordList = std::vector<std::string>;

// The bits of a keyword: 48, whatever its length, so that a ciphertext does not tell the length.
// Different keywords have different bits. Throws Error(invalid_argument) unless it has 1 to 8
// characters of a-z, 0-9, '-', '_' and '.'.
[[nodiscard]] std::vector<bool> keyword_bits(const std::string& keyword);

// Throws Error(invalid_argument) unless these are 1 to 64 valid keywords for each slot of a
// ciphertext, no two the same.
void require_valid_list(const KeywordList& list, std::size_t slots);

// The bits of the keywords of a list, one in each slot: those of round r are keywords r * slots,
// r * slots + 1, ... Slots behind the end of the list have zeros, which no keyword has.
[[nodiscard]] std::vector<std::vector<std::vector<bool>>> rounds_of(const KeywordList& list,
                                                                    std::size_t slots);

}  // namespace fhe::private_search
