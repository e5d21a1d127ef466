// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/streams/grouped_sums.hpp"

#include <utility>

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

}  // namespace fhe::cpu
