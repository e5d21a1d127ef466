// SPDX-License-Identifier: Apache-2.0
#include "apps/private_lookup/number_plan.hpp"

#include <fmt/format.h>

#include "libfhe/error.hpp"

namespace fhe::private_lookup {

namespace {

std::size_t rounded_up_root(std::size_t n) {
  std::size_t root = 1;
  while (root * root < n) ++root;
  return root;
}

}  // namespace

// The bound of an answer is at most entries times the largest digit times the noise of a selection,
// or of a product of two.
NumberPlan::NumberPlan(const ParameterSet& group, std::size_t entries, std::size_t entry_width)
    : entry_width_(entry_width) {
  const she::Parameters p(group);
  columns_ = p.depth == 0 ? entries : rounded_up_root(entries);
  rows_ = (entries + columns_ - 1) / columns_;
  const Integer fresh = p.fresh_noise();
  const Integer selected = rows_ == 1 ? fresh : Integer(fresh * fresh);
  const auto fits = [&](std::size_t bits) {
    const Integer most = power_of_two(bits) - 1;
    return 2 * most <= p.plaintext && most * entries * selected <= p.noise_limit();
  };
  while (digit_bits_ < entry_width_ && fits(digit_bits_ + 1)) ++digit_bits_;
  if (digit_bits_ > 0) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("sums of {} entries are more than the noise of '{}' has room for: take "
                          "fewer, or a group of more additions",
                          entries, group.name()));
}

std::size_t NumberPlan::digits() const {
  return (entry_width_ + digit_bits_ - 1) / digit_bits_;
}

std::uint64_t NumberPlan::digit(std::uint64_t entry, std::size_t k) const {
  return entry >> (k * digit_bits_) & ((std::uint64_t{1} << digit_bits_) - 1);
}

std::uint64_t NumberPlan::entry_of(const std::vector<std::uint64_t>& digits) const {
  std::uint64_t entry = 0;
  for (std::size_t k = 0; k < digits.size(); ++k) entry |= digits[k] << (k * digit_bits_);
  return entry;
}

}  // namespace fhe::private_lookup
