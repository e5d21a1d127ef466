// SPDX-License-Identifier: Apache-2.0
// A recryption by digits as data, for a ring that does it at once. Not installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/recryption_task.hpp"
#include "libfhe/random/public_stream.hpp"
#include "libfhe/scheme/adder/step_list.hpp"
#include "libfhe/scheme/dghv/parameters.hpp"
#include "libfhe/scheme/dghv/squash.hpp"

namespace fhe::dghv {

// All recryptions with a key: digits.hpp. The sum of signs is a difference: z + 1 has bit 1 where z
// is 1 or 2 mod 4, z where it is 2 or 3. Divisions are products with inverses.
class DigitTask {
 public:
  // For keys with Parameters::digits, which must outlive the object, as the parameters.
  DigitTask(const Parameters& parameters, const SquashedKey& key, const Integer& x0);
  DigitTask(const DigitTask&) = delete;
  DigitTask& operator=(const DigitTask&) = delete;

  // That of a ciphertext, whose rounded sum is the result.
  [[nodiscard]] RecryptionTask of(const Integer& c) const;

 private:
  StepList::Value add_group(std::size_t first, std::uint32_t plus);

  const Parameters& parameters_;
  const SquashedKey& key_;
  PublicStream factors_;
  PublicStream chi_;
  PublicStream digit_chi_;
  std::vector<CorrectedStream> elements_;
  std::vector<WindowGroup> groups_;
  StepList::Finished steps_;
};

// Division by small numbers modulo x0.
//
// x / d modulo x0, for x in [0, x0) and a small d without a common factor with x0: (x + m x0) / d
// for the one m < d that leaves no remainder.
[[nodiscard]] Integer divided(Integer x, unsigned long d, const Integer& x0);

}  // namespace fhe::dghv
