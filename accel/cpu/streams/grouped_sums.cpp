// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/streams/grouped_sums.hpp"

#include <algorithm>
#include <utility>

#include "accel/cpu/streams/kernels.hpp"
#include "libfhe/arith/parallel.hpp"

namespace fhe::cpu {

GroupedSums::GroupedSums(std::size_t sums, std::size_t groups, std::size_t group_words)
    : groups_(groups),
      group_words_(group_words),
      totals_(sums),
      limbs_(sums),
      carries_(sums * groups) {
  for (std::size_t s = 0; s < sums; ++s) {
    limbs_[s] = mpz_limbs_write(totals_[s].get_mpz_t(), static_cast<mp_size_t>(size()));
  }
}

std::vector<Integer> GroupedSums::join() {
  parallel_for(totals_.size(), [&](std::size_t s) {
    const std::span total(limbs_[s], size());
    total[size() - 1] = 0;
    for (std::size_t group = 0; group < groups_; ++group) {
      add_into(total.subspan((group + 1) * group_words_), std::span(&carry(s, group), 1));
    }
    mpz_limbs_finish(totals_[s].get_mpz_t(), static_cast<mp_size_t>(size()));
  });
  return std::move(totals_);
}

void add_lane(std::span<Limb> sum, const std::uint64_t* words, std::size_t rows, std::size_t lane) {
  Limb carry = 0;
  std::size_t row = 0;
  for (; row < rows; ++row) {
    const Limb word = words[row * kLanes + lane];
    const Limb partial = sum[row] + word;
    const Limb total = partial + carry;
    carry = static_cast<Limb>(partial < word) | static_cast<Limb>(total < partial);
    sum[row] = total;
  }
  for (; carry != 0; ++row) carry = static_cast<Limb>(++sum[row] == 0);
}

OverlappingSums::OverlappingSums(std::size_t sums, std::size_t groups, std::size_t stride,
                                 std::size_t part_limbs)
    : groups_(groups),
      stride_(stride),
      part_limbs_(part_limbs),
      parts_(sums, std::vector<Limb>(groups * part_limbs)) {}

std::span<Limb> OverlappingSums::part(std::size_t sum, std::size_t group) {
  return std::span(parts_[sum]).subspan(group * part_limbs_, part_limbs_);
}

std::vector<Integer> OverlappingSums::join() {
  std::vector<Integer> sums(parts_.size());
  parallel_for(sums.size(), [&](std::size_t s) { sums[s] = join_one(parts_[s]); });
  return sums;
}

// A part may reach over several of those that follow it.
Integer OverlappingSums::join_one(std::vector<Limb>& parts) const {
  Integer sum;
  const std::size_t limbs = (groups_ - 1) * stride_ + part_limbs_ + 1;
  const std::span total(mpz_limbs_write(sum.get_mpz_t(), static_cast<mp_size_t>(limbs)), limbs);
  std::ranges::fill(total, Limb{0});
  for (std::size_t group = 0; group < groups_; ++group) {
    add_into(total.subspan(group * stride_),
             std::span(parts).subspan(group * part_limbs_, part_limbs_));
  }
  mpz_limbs_finish(sum.get_mpz_t(), static_cast<mp_size_t>(limbs));
  std::vector<Limb>().swap(parts);
  return sum;
}

}  // namespace fhe::cpu
