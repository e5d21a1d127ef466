// SPDX-License-Identifier: Apache-2.0
// Sums of choices, listed by halves of what is chosen from: two halves meet where their sums
// cancel.
//
// Sums are of leading 64 bits, modulo 2^64, each too small by less than 1: so the right ones are
// close to 0 and not just 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libfhe/arith/integer.hpp"

namespace fhe::attack {

// A choice in one half: what it sums to, and which it is.
struct Choice {
  std::uint64_t sum;
  std::uint64_t number;
};

// What a half may have: lists of 256 MiB.
inline constexpr double kMostListBits = 24;

// Throws Error(invalid_argument) unless half of `what` has at most 2^kMostListBits choices.
void require_listable(double list_bits, const std::string& what);

// Whether a sum of fewer terms than kSlack can be one that is 0 but for roundings.
inline constexpr std::uint64_t kSlack = 64;
[[nodiscard]] inline bool is_near_zero(std::uint64_t sum) {
  return sum + kSlack < 2 * kSlack;
}

// The leading 64 bits of x in [0, modulus): floor(2^64 x / modulus).
[[nodiscard]] std::uint64_t leading_word(const Integer& x, const Integer& modulus);

// One of `size` entries in each of `count` blocks, of which the first begins at entry `first`.
struct Blocks {
  std::size_t first;
  std::size_t count;
  std::size_t size;
};

// All choices, with the sums of words[entry].
[[nodiscard]] std::vector<Choice> all_choices(const std::vector<std::uint64_t>& words,
                                              const Blocks& blocks);

// The entries of one of them.
void add_entries(std::vector<std::size_t>& entries, std::uint64_t number, const Blocks& blocks);

// The choices of either half, by their sums: neighbours in the right list are then neighbours in
// the left one, too.
struct Halves {
  std::vector<Choice> left;
  std::vector<Choice> right;
};
[[nodiscard]] Halves sorted(Halves halves);

// All choices of either half, sorted.
[[nodiscard]] Halves all_halves(const std::vector<std::uint64_t>& words, const Blocks& left,
                                const Blocks& right);

// The first result of accept(left, right) that there is, of all pairs with left + right + known
// near 0.
template <class Accept>
auto first_meeting(const Halves& halves, std::uint64_t known, const Accept& accept)
    -> decltype(accept(halves.left.front(), halves.right.front())) {
  const std::vector<Choice>& left = halves.left;
  for (const Choice& choice : halves.right) {
    const std::uint64_t wanted = 0 - choice.sum - known;
    auto at = std::ranges::lower_bound(left, wanted - kSlack, {}, &Choice::sum);
    // Sums run around 2^64; two turns of the search cover both ends.
    for (std::size_t looked = 0; looked < left.size(); ++looked, ++at) {
      if (at == left.end()) at = left.begin();
      if (!is_near_zero(at->sum - wanted)) break;
      if (auto found = accept(*at, choice)) return found;
    }
  }
  return std::nullopt;
}

}  // namespace fhe::attack
