// SPDX-License-Identifier: Apache-2.0
// Keywords and lists of them, and how they are written in bits and as numbers in slots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "libfhe/scheme/she/parameters.hpp"
#include "libfhe/scheme/she/slots.hpp"

namespace fhe::private_search {

// Keywords and lists of them, and how they are written in bits.

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

// Keywords as numbers in slots, a keyword in each slot.
//
// A keyword is cut into parts, each a number below Q.
class KeywordParts {
 public:
  // Whole keywords, in as many parts as they need.
  [[nodiscard]] static KeywordParts whole(const she::Parameters& parameters);
  // Keywords that fit into one number of a prime Q, so that a product is 0 just when a factor is.
  // Throws Error(invalid_argument) for another Q.
  [[nodiscard]] static KeywordParts single(const she::Parameters& parameters);

  [[nodiscard]] std::size_t count() const { return count_; }
  // The parts of a keyword. Throws Error(invalid_argument) for what is no keyword, or too long.
  [[nodiscard]] std::vector<std::uint64_t> of(const std::string& keyword) const;
  // Row i has part i of each keyword.
  [[nodiscard]] std::vector<she::SlotNumbers> rows(const KeywordList& keywords) const;

 private:
  KeywordParts(std::size_t count, std::size_t bits) : count_(count), bits_(bits) {}

  std::size_t count_;
  std::size_t bits_;  // of a part
};

}  // namespace fhe::private_search
