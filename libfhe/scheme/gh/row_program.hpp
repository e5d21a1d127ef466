// SPDX-License-Identifier: Apache-2.0
// Recryption of GH as a program of a ring. Not installed.
#pragma once

#include <cstddef>
#include <vector>

#include "libfhe/arith/ring_program.hpp"
#include "libfhe/scheme/adder/adder.hpp"
#include "libfhe/scheme/adder/step_list.hpp"
#include "libfhe/scheme/gh/parameters.hpp"
#include "libfhe/scheme/gh/squash.hpp"

namespace fhe::gh {

// The program of all recryptions with a key. Block k of the key holds in its chosen element the
// number z_k, whose bit i is
//
//   sum over a of eta_k,a (sum of the eta_k,b, b > a, whose element (a, b) has bit i set).
//
// The inputs are the inner sums of each block and a, bit by bit, and then the eta_k,a. The adder
// rounds the sum of the z_k.
class RowProgram {
 public:
  // The parameters must outlive the object.
  RowProgram(const Parameters& parameters, const AdderProgram& adder);

  // For ciphertexts of a d of so many bits. The key must outlive it.
  [[nodiscard]] RingProgram with(const KeyOperands& key, std::size_t d_bits) const;

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
