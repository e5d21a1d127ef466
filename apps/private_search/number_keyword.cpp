// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "apps/private_search/keyword.hpp"
#include "libfhe/circuit/bits.hpp"
#include "libfhe/error.hpp"

namespace fhe::private_search {

namespace {

std::size_t bits_of_number(const she::Parameters& parameters) {
  return static_cast<std::size_t>(std::bit_width(parameters.plaintext)) - 1;
}

bool is_prime(std::uint64_t n) {
  for (std::uint64_t d = 2; d * d <= n; ++d) {
    if (n % d == 0) return false;
  }
  return n > 1;
}

}  // namespace

KeywordParts KeywordParts::whole(const she::Parameters& parameters) {
  const std::size_t bits = bits_of_number(parameters);
  return {(kKeywordBits + bits - 1) / bits, bits};
}

KeywordParts KeywordParts::single(const she::Parameters& parameters) {
  if (is_prime(parameters.plaintext)) return {1, bits_of_number(parameters)};
  throw Error(ErrorCode::invalid_argument,
              fmt::format("products of differences need numbers modulo a prime, and {} is none",
                          parameters.plaintext));
}

std::vector<std::uint64_t> KeywordParts::of(const std::string& keyword) const {
  const std::vector<bool> bits = keyword_bits(keyword);
  const auto end =
      bits.begin() + static_cast<std::ptrdiff_t>(std::min(count_ * bits_, bits.size()));
  if (std::find(end, bits.end(), true) != bits.end()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("keyword '{}' is too long for one number of these parameters, which "
                            "has {} bits",
                            keyword, bits_));
  }
  std::vector<std::uint64_t> parts;
  for (std::size_t i = 0; i < count_; ++i) parts.push_back(number_of(bits, i * bits_, bits_));
  return parts;
}

std::vector<she::SlotNumbers> KeywordParts::rows(const KeywordList& keywords) const {
  std::vector<she::SlotNumbers> rows(count_);
  for (const std::string& keyword : keywords) {
    const std::vector<std::uint64_t> parts = of(keyword);
    for (std::size_t i = 0; i < count_; ++i) rows[i].push_back(parts[i]);
  }
  return rows;
}

}  // namespace fhe::private_search
