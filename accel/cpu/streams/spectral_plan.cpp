// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/streams/spectral_plan.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "accel/cpu/streams/aes_lanes.hpp"
#include "accel/cpu/streams/spectral_kernel.hpp"
#include "accel/cpu/three_primes/kernels.hpp"

namespace fhe::cpu {

namespace {

// A transform is a single block of 8 N words.
constexpr unsigned kTop = 1;

struct Candidate {
  unsigned middle;
  unsigned depth;

  [[nodiscard]] three_primes::Shape shape() const { return {kTop, middle, depth}; }
  [[nodiscard]] std::size_t points() const { return shape().limbs() / kLanes; }
};

// 48, 64, 144, 192, 256 and 576 points.
constexpr Candidate kCandidates[] = {{3, 2}, {1, 3}, {9, 2}, {3, 3}, {1, 4}, {9, 3}};

// Measured times in nanoseconds, of one row modulo one prime: the levels of a transform, all else
// that is done once for a term (generation, folding, and more misses of the second-level cache the
// longer the transform), and the products of a term with one weight.
constexpr double kLevel = 0.67;  // of radix 4
constexpr double kLevelOfThree = 0.74;
constexpr double kTerm = 1.4;
constexpr double kTermPerPoint = 0.004;
constexpr double kProduct = 0.36;

// Memory for the sums of the groups of one pass. Every pass transforms the weights anew.
constexpr std::size_t kSumBytes = std::size_t{192} << 20;

std::size_t groups_in_memory(std::size_t points, std::size_t sets) {
  const std::size_t bytes = three_primes::kPrimes * points * sets * kLanes * sizeof(std::uint64_t);
  return std::max<std::size_t>(1, kSumBytes / bytes);
}

double transform_time(const Candidate& c) {
  const double threes = c.middle == 9 ? 2 : c.middle == 3 ? 1 : 0;
  const auto points = static_cast<double>(c.points());
  return kTerm + kTermPerPoint * points + kLevel * c.depth + kLevelOfThree * threes;
}

double time(const Candidate& c, std::size_t groups, const SumSizes& sizes) {
  const auto sets = static_cast<double>(sizes.sets);
  const std::size_t tiles = (sizes.sets + kLanes - 1) / kLanes;
  const auto rows = static_cast<double>(three_primes::kPrimes * c.points());
  const double elements =
      rows * (transform_time(c) + sets * kProduct) * static_cast<double>(groups);
  const double weights = rows * transform_time(c) * static_cast<double>(tiles);
  return (elements + weights) * static_cast<double>(sizes.elements);
}

const SpectralTransform& transform_of(std::size_t candidate) {
  static const auto transforms = [] {
    std::vector<std::unique_ptr<const SpectralTransform>> all;
    for (const Candidate& c : kCandidates) {
      all.push_back(std::make_unique<const SpectralTransform>(c.shape()));
    }
    return all;
  }();
  return *transforms[candidate];
}

}  // namespace

SpectralTransform::SpectralTransform(const three_primes::Shape& shape)
    : points_(shape.limbs() / kLanes),
      tables_{three_primes::OwnedTables(three_primes::kNarrow.primes[0], three_primes::kNarrow.bits,
                                        shape, three_primes::Form::integers),
              three_primes::OwnedTables(three_primes::kNarrow.primes[1], three_primes::kNarrow.bits,
                                        shape, three_primes::Form::integers),
              three_primes::OwnedTables(three_primes::kNarrow.primes[2], three_primes::kNarrow.bits,
                                        shape, three_primes::Form::integers)},
      recombination_(three_primes::make_recombination(
          three_primes::kNarrow, {&tables_[0].get(), &tables_[1].get(), &tables_[2].get()}, true)) {
}

const three_primes::Field& SpectralTransform::field(std::size_t prime) const {
  return tables_[prime].get().field;
}

void SpectralTransform::forward(std::size_t prime, const std::uint64_t* words, std::size_t rows,
                                std::uint64_t* points) const {
  fold_rows(field(prime), words, rows, points);
  std::fill(points + rows * kLanes, points + points_ * kLanes, 0);
  three_primes::ifma_kernels().forward_block(tables_[prime].get(), points, 0);
}

void SpectralTransform::inverse(std::size_t prime, std::uint64_t* rows) const {
  three_primes::ifma_kernels().inverse_block(tables_[prime].get(), rows, 0);
}

std::optional<SpectralPlan> spectral_plan(const SumSizes& sizes) {
  const std::size_t weight_rows = std::max<std::size_t>(1, (sizes.weight_bits + 63) / 64);
  const std::size_t element_rows = (sizes.element_bits + 63) / 64;
  std::optional<SpectralPlan> best;
  for (std::size_t k = 0; k < std::size(kCandidates); ++k) {
    const std::size_t points = kCandidates[k].points();
    if (points < weight_rows + 1) continue;
    const std::size_t chunk_rows = (points - weight_rows + 1) / 2 * 2;
    if (sizes.elements >
        three_primes::capacity(three_primes::kNarrow) / std::min(chunk_rows, weight_rows))
      continue;
    const std::size_t group_rows = chunk_rows * kLanes;
    const std::size_t groups = (element_rows + group_rows - 1) / group_rows;
    const double nanoseconds = time(kCandidates[k], groups, sizes);
    if (best && best->nanoseconds <= nanoseconds) continue;
    best = SpectralPlan{.transform = &transform_of(k),
                        .chunk_rows = chunk_rows,
                        .weight_rows = weight_rows,
                        .groups = groups,
                        .groups_at_once = std::min(groups, groups_in_memory(points, sizes.sets)),
                        .nanoseconds = nanoseconds};
  }
  return best;
}

}  // namespace fhe::cpu
