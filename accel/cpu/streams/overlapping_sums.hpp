// SPDX-License-Identifier: Apache-2.0
// Results that are made column group by column group and overlap where the groups meet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libfhe/arith/integer.hpp"

namespace fhe::cpu {

// sum += lane `lane` of `rows` rows, a number of 64-bit words. Requires that the sum fits.
void add_lane(std::span<Limb> sum, const std::uint64_t* words, std::size_t rows, std::size_t lane);

// Adds the parts of several sums up: part g of each sum starts at limb g * stride.
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
