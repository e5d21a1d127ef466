// SPDX-License-Identifier: Apache-2.0
// Sums that are made column group by column group, each group with what it carries into the next.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "libfhe/arith/integer.hpp"

namespace fhe::cpu {

// The words of the sums stand where the resulting integers keep them.
class GroupedSums {
 public:
  // `sums` sums in `groups` groups of `group_words` words.
  GroupedSums(std::size_t sums, std::size_t groups, std::size_t group_words);

  // The words of a sum in a group, and what they carry into the next one; to be set, by any thread.
  [[nodiscard]] std::span<Limb> words(std::size_t sum, std::size_t group) {
    return {limbs_[sum] + group * group_words_, group_words_};
  }
  [[nodiscard]] Limb& carry(std::size_t sum, std::size_t group) {
    return carries_[sum * groups_ + group];
  }

  // All sums, in order. Leaves the object empty. Requires that all words and carries are set.
  [[nodiscard]] std::vector<Integer> join();

 private:
  [[nodiscard]] std::size_t size() const { return groups_ * group_words_ + 1; }

  std::size_t groups_;
  std::size_t group_words_;
  std::vector<Integer> totals_;
  std::vector<Limb*> limbs_;
  std::vector<Limb> carries_;
};

}  // namespace fhe::cpu
