// SPDX-License-Identifier: Apache-2.0
#include "apps/private_search/keyword.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "libfhe/circuit/bits.hpp"
#include "libfhe/error.hpp"

namespace fhe::private_search {

namespace {

// A character's code is its place here plus one; code 0 fills up short keywords.
constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
constexpr std::size_t kCharacterBits = 6;
static_assert(kAlphabet.size() < std::size_t{1} << kCharacterBits);
static_assert(kMaxCharacters * kCharacterBits == kKeywordBits && kKeywordBits <= 64);

Error misuse(const std::string& what) {
  return {ErrorCode::invalid_argument, what};
}

std::uint64_t code_of(char character, const std::string& keyword) {
  const std::size_t place = kAlphabet.find(character);
  if (place == std::string_view::npos) {
    throw misuse(fmt::format("keyword '{}': only a-z, 0-9, '-', '_' and '.' are allowed", keyword));
  }
  return place + 1;
}

}  // namespace

std::vector<bool> keyword_bits(const std::string& keyword) {
  if (keyword.empty()) throw misuse("a keyword is empty");
  if (keyword.size() > kMaxCharacters) {
    throw misuse(fmt::format("keyword '{}' is too long: {} characters, at most {} are allowed",
                             keyword, keyword.size(), kMaxCharacters));
  }
  std::uint64_t codes = 0;
  for (std::size_t i = 0; i < keyword.size(); ++i) {
    codes |= code_of(keyword[i], keyword) << (i * kCharacterBits);
  }
  return bits_of(codes, kKeywordBits);
}

std::vector<std::vector<std::vector<bool>>> rounds_of(const KeywordList& list, std::size_t slots) {
  std::vector<std::vector<std::vector<bool>>> rounds;
  for (std::size_t first = 0; first < list.size(); first += slots) {
    auto& round = rounds.emplace_back();
    for (std::size_t k = first; k < std::min(first + slots, list.size()); ++k) {
      round.push_back(keyword_bits(list[k]));
    }
  }
  return rounds;
}

void require_valid_list(const KeywordList& list, std::size_t slots) {
  const std::size_t most = kMaxKeywords * slots;
  if (list.empty() || list.size() > most) {
    throw misuse(fmt::format("a list holds 1 to {} keywords, this one {}", most, list.size()));
  }
  std::set<std::vector<bool>> seen;
  for (const std::string& keyword : list) {
    if (!seen.insert(keyword_bits(keyword)).second) {
      throw misuse(fmt::format("keyword '{}' stands in the list twice", keyword));
    }
  }
}

}  // namespace fhe::private_search
