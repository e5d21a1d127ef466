// SPDX-License-Identifier: Apache-2.0
// Uniformity of samples from a fixed seed. Seeds are fixed, so a test that passes once passes
// always; thresholds are generous, so that only a wrong sampler crosses them.
#pragma once

#include <cmath>
#include <cstddef>
#include <map>
#include <vector>

namespace fhe::test {

// Pearson's statistic of counts that should all be equal.
inline double chi_square(const std::vector<std::size_t>& counts) {
  double total = 0;
  for (const std::size_t count : counts) total += static_cast<double>(count);
  const double expected = total / static_cast<double>(counts.size());
  double sum = 0;
  for (const std::size_t count : counts) {
    const double difference = static_cast<double>(count) - expected;
    sum += difference * difference / expected;
  }
  return sum;
}

// Six standard deviations above the mean of the statistic.
inline double chi_square_limit(std::size_t classes) {
  const double freedom = static_cast<double>(classes - 1);
  return freedom + 6 * std::sqrt(2 * freedom) + 6;
}

// How often each outcome was drawn.
template <class Outcome>
class Tally {
 public:
  void add(const Outcome& outcome) { ++counts_[outcome]; }

  [[nodiscard]] std::size_t distinct() const { return counts_.size(); }
  [[nodiscard]] const Outcome& lowest() const { return counts_.begin()->first; }
  [[nodiscard]] const Outcome& highest() const { return counts_.rbegin()->first; }

  // Whether exactly `classes` outcomes occurred, all about equally often.
  [[nodiscard]] bool is_uniform_over(std::size_t classes) const {
    if (counts_.size() != classes) return false;
    if (classes == 1) return true;
    std::vector<std::size_t> counts;
    for (const auto& [outcome, count] : counts_) counts.push_back(count);
    return chi_square(counts) < chi_square_limit(classes);
  }

 private:
  std::map<Outcome, std::size_t> counts_;
};

}  // namespace fhe::test
