// SPDX-License-Identifier: Apache-2.0
// Sums that are made column group by column group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libfhe/arith/integer.hpp"

namespace fhe::cpu {

// Each group comes with what it carries into the next. The words of the sums stand where the
// resulting integers keep them.
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

// sum += lane `lane` of `rows` rows, a number of 64-bit words. Requires that the sum fits.
void add_lane(std::span<Limb> sum, const std::uint64_t* words, std::size_t rows, std::size_t lane);

// Adds the parts of several sums up, which overlap where the groups meet: part g of each sum starts
// at limb g * stride.
class OverlappingSums {
 public:
  // Room for `groups` parts of `part_limbs` limbs, of each of `sums` sums.
  OverlappingSums(std::size_t sums, std::size_t groups, std::size_t stride, std::size_t part_limbs);

  // A part, zero at first. Different parts may be filled by different threads.
  [[nodiscard]] std::span<Limb> part(std::size_t sum, std::size_t group);

  // All sums, in order. Leaves the object empty.
  [[nodiscard]] std::vector<Integer> join();

 private:
  [[nodiscard]] Integer join_one(std::vector<Limb>& parts) const;

  std::size_t groups_;
  std::size_t stride_;
  std::size_t part_limbs_;
  std::vector<std::vector<Limb>> parts_;  // of each sum, one after another
};

}  // namespace fhe::cpu
