// SPDX-License-Identifier: Apache-2.0
// What trial recryptions say about the noise that a key leaves. Not installed.
//
// Key generation holds the noise terms of the key that it makes. So it can recrypt random
// ciphertexts on those terms alone, without any modulus, and see how much noise this very key
// leaves: keys differ, and one that leaves too much goes on doing so. Schemes draw the noise of a
// key again until its trials keep a bound, and refuse a group when none does.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fhe {

// The noise of several recryptions under one key, in bits.
class NoiseTrials {
 public:
  // A key keeps a bound when its mean lies at least this many standard deviations below. The noise
  // in bits has a shorter tail above than a normal distribution: of 4.5 million recryptions under
  // 3000 keys of cmnt-toy-paper, one under a key that kept its bound in 256 trials went past it.
  static constexpr double kDeviations = 4;

  // Requires at least one.
  explicit NoiseTrials(const std::vector<double>& bits);

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] double mean() const { return mean_; }
  [[nodiscard]] double deviation() const { return deviation_; }
  [[nodiscard]] double largest() const { return largest_; }

  // The smallest bound that the key keeps: kDeviations above the mean, and above the largest. Not
  // a number or infinite when a noise was past the range of the arithmetic.
  [[nodiscard]] double least_bound() const;
  [[nodiscard]] bool keep(double bound) const { return least_bound() <= bound; }

  // The figures as a clause for a message.
  [[nodiscard]] std::string text() const;

 private:
  std::size_t count_;
  double mean_ = 0;
  double deviation_ = 0;
  double largest_ = 0;
};

}  // namespace fhe
