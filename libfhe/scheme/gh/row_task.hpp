// SPDX-License-Identifier: Apache-2.0
// A recryption of GH as data, for a ring that does it at once. Not installed.
#pragma once

#include <cstddef>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/recryption_task.hpp"
#include "libfhe/scheme/adder/adder.hpp"
#include "libfhe/scheme/adder/step_list.hpp"
#include "libfhe/scheme/gh/parameters.hpp"
#include "libfhe/scheme/gh/squash.hpp"

namespace fhe::gh {

// All recryptions with keys of a group, as recrypt() has them: the inputs are the sums of the rows
// of each block, bit by bit, and then their eta_a.
class RowTask {
 public:
  // The parameters must outlive the object.
  RowTask(const Parameters& parameters, const AdderProgram& adder);

  // That of a ciphertext modulo d. What it is made of must outlive it.
  [[nodiscard]] RecryptionTask of(const KeyOperands& key, const Integer& d, const Integer& c) const;

 private:
  [[nodiscard]] std::size_t width() const { return p_.precision + 1; }
  void add_groups(std::size_t block);
  [[nodiscard]] StepList::Value add_bit(StepList& steps, std::size_t block, std::size_t i) const;

  const Parameters& p_;
  std::size_t rows_;
  std::vector<WindowGroup> groups_;
  std::vector<std::size_t> singles_;
  StepList::Finished steps_;
};

}  // namespace fhe::gh
