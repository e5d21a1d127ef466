// SPDX-License-Identifier: Apache-2.0
#include "libfhe/security/reduction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace fhe::security {

namespace {

struct Measured {
  double block;
  double delta;
};

// lattice-estimator, reduction.py: dimension 320, means of 32 trials.
constexpr std::array<Measured, 8> kMeasured{{{2, 1.02190},
                                             {5, 1.01862},
                                             {10, 1.01616},
                                             {15, 1.01485},
                                             {20, 1.01420},
                                             {25, 1.01342},
                                             {28, 1.01331},
                                             {40, 1.01295}}};

// From here on a larger block size is never cheaper for its calls alone.
constexpr double kCostsGrow = 64;

double chen(double block) {
  const double lengths = std::log2(std::numbers::pi * block) / block;
  const double volume = std::log2(block / (2 * std::numbers::pi * std::numbers::e));
  return (lengths + volume) / (2 * (block - 1));
}

double largest_measured() {
  return kMeasured.back().block;
}

}  // namespace

double log2_of_sum(double a, double b) {
  const auto [less, more] = std::minmax(a, b);
  return more + std::log2(1 + std::exp2(less - more));
}

double log_root_hermite(double block) {
  if (block > largest_measured()) return chen(block);
  const auto* const above =
      std::ranges::find_if(kMeasured, [&](const Measured& m) { return m.block > block; });
  return std::log2(std::prev(above)->delta);
}

std::optional<double> block_size_for(double log_delta) {
  for (const Measured& m : kMeasured) {
    if (std::log2(m.delta) <= log_delta) return m.block;
  }
  if (chen(kLargestBlock) > log_delta) return std::nullopt;
  double too_small = largest_measured();
  double enough = kLargestBlock;
  while (enough - too_small > 1) {
    const double middle = std::floor((too_small + enough) / 2);
    (chen(middle) > log_delta ? too_small : enough) = middle;
  }
  return enough;
}

double core_svp(double block) {
  return 0.292 * block;
}

double shortest_vector_cycles(double block) {
  return std::min(core_svp(block) + 16.4, 0.184 * block * std::log2(block) - 0.995 * block + 22);
}

double lll_cycles(const Basis& basis) {
  const double length = std::log2(basis.column_bits + basis.dimension);
  const double d = std::log2(basis.dimension);
  return basis.columns == Columns::one ? std::log2(1.3) + 2.75 * d + length
                                       : std::log2(0.75) + 3.45 * d + length;
}

double bkz_cycles(const Basis& basis, double block) {
  const double calls = std::log2(8 * basis.dimension);
  return log2_of_sum(lll_cycles(basis) + std::log2(std::log2(block)),
                     calls + shortest_vector_cycles(block));
}

double basis_bytes(const Basis& basis) {
  return std::log2(basis.dimension * (basis.column_bits + basis.dimension) / 8);
}

std::optional<ReductionChoice> choose_block(const ReductionFor& reduction_for) {
  std::optional<ReductionChoice> choice;
  const auto consider = [&](double block) {
    std::optional<Reduction> reduction = reduction_for(log_root_hermite(block));
    if (!reduction) return;
    reduction->block = block;
    if (!choice) choice = ReductionChoice{*reduction, reduction->core()};
    if (reduction->cycles() < choice->cheapest.cycles()) choice->cheapest = *reduction;
    choice->core = std::min(choice->core, reduction->core());
  };
  const auto may_help = [&](double block) {
    return !choice || block <= kCostsGrow || core_svp(block) < choice->core ||
           shortest_vector_cycles(block) < choice->cheapest.cycles();
  };
  for (const Measured& m : kMeasured) consider(m.block);
  for (double block = largest_measured() + 1; block <= kLargestBlock && may_help(block); ++block) {
    consider(block);
  }
  return choice;
}

std::optional<double> least_dimension(double volume, double log_delta, double room,
                                      std::optional<double> others) {
  // Without the last term it is the smaller root of log_delta t^2 - room t + volume = 0. With it,
  // the roots for the term of the t before rise to the answer.
  double t = 1;
  for (;;) {
    const double left = room - (others ? std::log2(t + *others) / 2 : 0);
    const double discriminant = left * left - 4 * log_delta * volume;
    if (left <= 0 || discriminant < 0) return std::nullopt;
    const double root = 2 * volume / (left + std::sqrt(discriminant));
    const double next = std::max(1.0, std::ceil(root));
    if (next <= t) return t;
    t = next;
  }
}

}  // namespace fhe::security
