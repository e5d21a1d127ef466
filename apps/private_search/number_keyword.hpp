// SPDX-License-Identifier: Apache-2.0
// Keywords as numbers in slots, a keyword in each slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/private_search/keyword.hpp"
#include "libfhe/scheme/she/parameters.hpp"
#include "libfhe/scheme/she/slots.hpp"

namespace fhe::private_search {

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
