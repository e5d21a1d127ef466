// SPDX-License-Identifier: Apache-2.0
#include "libfhe/security/hiding.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "libfhe/security/reduction.hpp"

namespace fhe::security {

namespace {

// log2 of the deviation of a weight.
double log_deviation(double weight_bits) {
  return std::log2((std::exp2(2 * weight_bits) - 1) / 12) / 2;
}

bool finds_weights(const RandomSum& sum, double block) {
  const double s = log_deviation(sum.weight_bits);
  const double dimension = sum.count + 1;
  const double room =
      (sum.element_bits + s) / dimension + (2 * block - dimension - 1) * log_root_hermite(block);
  return s + std::log2(block) / 2 <= room;
}

bool tells_from_uniform(const RandomSum& sum, double block) {
  constexpr double kSieved = 0.2075;  // lg of the vectors of a sieve, by the dimension
  const double s = log_deviation(sum.weight_bits);
  const double length = sum.count * log_root_hermite(block) - sum.element_bits / sum.count;
  const double enough =
      kSieved * block * std::numbers::ln2 / (4 * std::numbers::pi * std::numbers::pi);
  return s + length <= std::log2(enough) / 2;
}

// The least whole number from `low` on that is enough, when all above it are.
template <class IsEnough>
double least_whole(double low, double high, const IsEnough& is_enough) {
  while (low < high) {
    const double middle = std::floor((low + high) / 2);
    if (is_enough(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

std::optional<SumAttack> cheapest_sum_attack(const RandomSum& sum) {
  const double largest = std::min(sum.count + 1, kLargestBlock);
  for (double block = 2; block <= largest; ++block) {
    if (!finds_weights(sum, block) && !tells_from_uniform(sum, block)) continue;
    return SumAttack{.block = block, .core = core_svp(block)};
  }
  return std::nullopt;
}

double least_count(double weight_bits, double element_bits, double target) {
  const double searched = std::ceil(2 * target / weight_bits);
  const double proven = std::max(searched, proven_count(weight_bits, element_bits, target));
  return least_whole(searched, proven, [&](double count) {
    const auto attack = cheapest_sum_attack(
        {.count = count, .weight_bits = weight_bits, .element_bits = element_bits});
    return !attack || attack->core >= target;
  });
}

double proven_count(double weight_bits, double element_bits, double bits) {
  const double entropy = std::ceil((element_bits + 2 * bits + 1) / weight_bits);
  return std::max(entropy, 2 * weight_bits + 2 * bits + 1);
}

}  // namespace fhe::security
