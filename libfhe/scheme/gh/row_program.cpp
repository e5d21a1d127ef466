// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/gh/row_program.hpp"

#include <algorithm>

namespace fhe::gh {

RowProgram::RowProgram(const Parameters& p, const AdderProgram& adder)
    : p_(p), rows_(rows_of_block(p)) {
  for (std::size_t block = 0; block < p.s; ++block) add_groups(block);
  StepList steps(groups_.size() * width() + singles_.size());
  std::vector<StepList::Value> bits;
  for (std::size_t block = 0; block < p.s; ++block)
    for (std::size_t i = 0; i < width(); ++i) bits.push_back(add_bit(steps, block, i));
  steps_ = steps.finished(steps.add_up(adder, bits));
}

RingProgram RowProgram::with(const KeyOperands& key, std::size_t d_bits) const {
  return {.first_factors = {},
          .other_factors = nullptr,
          .windows = {.modulus_bits = d_bits, .window_bits = static_cast<unsigned>(width())},
          .residues = {.factors = key.x, .count = p_.S, .step = p_.log_R},
          .elements = {},
          .kept = key.eta,
          .groups = groups_,
          .singles = singles_,
          .constants = steps_.constants,
          .steps = steps_.steps,
          .output = steps_.output};
}

void RowProgram::add_groups(std::size_t block) {
  std::size_t j = 0;
  for (std::size_t a = 0; a < rows_; ++a) {
    const std::size_t count = std::min(p_.c - 1 - a, p_.S - j);
    groups_.push_back({.first = block * p_.c + a + 1,
                       .count = count,
                       .first_window = block * p_.S + j,
                       .window_step = 1});
    singles_.push_back(block * p_.c + a);
    j += count;
  }
}

// Bit i of a block.
StepList::Value RowProgram::add_bit(StepList& steps, std::size_t block, std::size_t i) const {
  StepList::Value sum = 0;
  for (std::size_t row = block * rows_; row < (block + 1) * rows_; ++row) {
    const std::size_t eta = groups_.size() * width() + row;
    const StepList::Value product = steps.multiply(static_cast<StepList::Value>(eta),
                                                   static_cast<StepList::Value>(row * width() + i));
    sum = row == block * rows_ ? product : steps.add(sum, product);
  }
  return sum;
}

}  // namespace fhe::gh
