// SPDX-License-Identifier: Apache-2.0
#include "apps/attack/meeting.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "libfhe/error.hpp"

namespace fhe::attack {

void require_listable(double list_bits, const std::string& what) {
  if (list_bits <= kMostListBits) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("half of {} has 2^{:.1f} choices; this laboratory lists at most 2^{:.0f}",
                          what, list_bits, kMostListBits));
}

std::uint64_t leading_word(const Integer& x, const Integer& modulus) {
  return Integer((x << kLimbBits) / modulus).get_ui();
}

std::vector<Choice> all_choices(const std::vector<std::uint64_t>& words, const Blocks& blocks) {
  std::vector<Choice> choices{{0, 0}};
  std::uint64_t weight = 1;
  for (std::size_t b = 0; b < blocks.count; ++b, weight *= blocks.size) {
    std::vector<Choice> longer;
    longer.reserve(choices.size() * blocks.size);
    for (std::size_t i = 0; i < blocks.size; ++i) {
      for (const Choice& choice : choices) {
        longer.push_back(
            {choice.sum + words[blocks.first + b * blocks.size + i], choice.number + weight * i});
      }
    }
    choices = std::move(longer);
  }
  return choices;
}

Halves sorted(Halves halves) {
  std::ranges::sort(halves.left, {}, &Choice::sum);
  std::ranges::sort(halves.right, {}, &Choice::sum);
  return halves;
}

Halves all_halves(const std::vector<std::uint64_t>& words, const Blocks& left,
                  const Blocks& right) {
  return sorted({all_choices(words, left), all_choices(words, right)});
}

void add_entries(std::vector<std::size_t>& entries, std::uint64_t number, const Blocks& blocks) {
  for (std::size_t b = 0; b < blocks.count; ++b, number /= blocks.size) {
    entries.push_back(blocks.first + b * blocks.size + number % blocks.size);
  }
}

}  // namespace fhe::attack
