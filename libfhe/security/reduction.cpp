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

double quantum_core_svp(double block) {
  return 0.257 * block;
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

ReductionChoice only(const Reduction& reduction) {
  return {.cheapest = reduction,
          .core = reduction.core(),
          .quantum = reduction.quantum(),
          .sieve = reduction.sieve()};
}

namespace {

// The smallest block size that suffices; nothing when kLargestBlock does not.
std::optional<double> least_block(const ReductionFor& reduction_for) {
  for (const Measured& m : kMeasured) {
    if (reduction_for(m.block)) return m.block;
  }
  if (!reduction_for(kLargestBlock)) return std::nullopt;
  double too_small = largest_measured();
  double enough = kLargestBlock;
  while (enough - too_small > 1) {
    const double middle = std::floor((too_small + enough) / 2);
    (reduction_for(middle) ? enough : too_small) = middle;
  }
  return enough;
}

ReductionChoice beyond_all() {
  ReductionChoice choice =
      only({.basis = {.dimension = kLargestBlock, .column_bits = kLargestBlock},
            .block = kLargestBlock});
  choice.suffices = false;
  return choice;
}

}  // namespace

ReductionChoice choose_block(const ReductionFor& reduction_for) {
  const auto with_block = [&](double block) {
    std::optional<Reduction> reduction = reduction_for(block);
    if (reduction) reduction->block = block;
    return reduction;
  };
  const std::optional<double> least = least_block(reduction_for);
  if (!least) return beyond_all();
  ReductionChoice choice = only(with_block(*least).value());
  const auto consider = [&](double block) {
    const std::optional<Reduction> found = with_block(block);
    if (!found) return;
    const Reduction& reduction = *found;
    if (reduction.cycles() < choice.cheapest.cycles()) choice.cheapest = reduction;
    choice.core = std::min(choice.core, reduction.core());
    choice.quantum = std::min(choice.quantum, reduction.quantum());
    choice.sieve = std::min(choice.sieve, reduction.sieve());
  };
  const auto may_help = [&](double block) {
    return block <= kCostsGrow || quantum_core_svp(block) < choice.quantum ||
           shortest_vector_cycles(block) < choice.cheapest.cycles();
  };
  for (const Measured& m : kMeasured) {
    if (m.block > *least) consider(m.block);
  }
  for (double block = std::max(*least, largest_measured()) + 1;
       block <= kLargestBlock && may_help(block); ++block) {
    consider(block);
  }
  return choice;
}

std::optional<double> least_dimension(double volume, double log_delta, double room, double low,
                                      double high) {
  // Between the roots of log_delta t^2 - room t + volume.
  const double discriminant = room * room - 4 * log_delta * volume;
  if (room <= 0 || discriminant < 0) return std::nullopt;
  const double sum = room + std::sqrt(discriminant);
  const double t = std::max(low, std::ceil(2 * volume / sum));
  return t <= std::min(high, sum / (2 * log_delta)) ? std::optional(t) : std::nullopt;
}

double largest_volume(double log_delta, double room, double low) {
  const auto at = [&](double t) { return t * (room - t * log_delta); };
  const double best = std::max(low, std::floor(room / (2 * log_delta)));
  return std::max(at(best), at(best + 1));
}

}  // namespace fhe::security
