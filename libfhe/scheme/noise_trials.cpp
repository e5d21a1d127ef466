// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/noise_trials.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace fhe {

NoiseTrials::NoiseTrials(const std::vector<double>& bits) : count_(bits.size()) {
  const auto count = static_cast<double>(count_);
  for (const double x : bits) mean_ += x / count;
  double squares = 0;
  for (const double x : bits) squares += (x - mean_) * (x - mean_);
  deviation_ = std::sqrt(squares / count);
  largest_ = *std::ranges::max_element(bits);
}

double NoiseTrials::least_bound() const {
  return std::max(mean_ + kDeviations * deviation_, largest_);
}

std::string NoiseTrials::text() const {
  return fmt::format(
      "{:.1f} bits in the mean of {} trial recryptions, {:.1f} at most (standard "
      "deviation {:.1f})",
      mean_, count_, largest_, deviation_);
}

}  // namespace fhe
