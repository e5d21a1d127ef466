// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <vector>

#include "accel/cpu/streams/kernels.hpp"
#include "accel/cpu/streams/passes.hpp"
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
struct SpectralTimes {
  double level;  // of radix 4
  double level_of_three;
  double term;
  double term_per_point;
  double product;
};

SpectralTimes spectral_times(Kernel kernel) {
  switch (kernel) {
    case Kernel::ifma:
      return {0.67, 0.74, 1.4, 0.004, 0.36};
    case Kernel::avxifma:
      return {2.05, 2.5, 1.6, 0.004, 0.8};
    case Kernel::avx512:
      return {1.3, 1.4, 3.4, 0.004, 0.5};
    default:
      return {2.0, 2.2, 3.2, 0.004, 0.93};
  }
}

// Memory for the sums of the groups of one pass. Every pass transforms the weights anew.
constexpr std::size_t kSumBytes = std::size_t{192} << 20;

std::size_t groups_in_memory(std::size_t points, std::size_t sets) {
  const std::size_t bytes = three_primes::kPrimes * points * sets * kLanes * sizeof(std::uint64_t);
  return std::max<std::size_t>(1, kSumBytes / bytes);
}

double transform_time(const SpectralTimes& times, const Candidate& c) {
  const double threes = c.middle == 9 ? 2 : c.middle == 3 ? 1 : 0;
  const auto points = static_cast<double>(c.points());
  return times.term + times.term_per_point * points + times.level * c.depth +
         times.level_of_three * threes;
}

double time(const SpectralTimes& times, const Candidate& c, std::size_t groups,
            const SumSizes& sizes) {
  const double once = transform_time(times, c);
  const auto sets = static_cast<double>(sizes.sets);
  const std::size_t tiles = (sizes.sets + kLanes - 1) / kLanes;
  const auto rows = static_cast<double>(three_primes::kPrimes * c.points());
  const double elements = rows * (once + sets * times.product) * static_cast<double>(groups);
  const double weights = rows * once * static_cast<double>(tiles);
  return (elements + weights) * static_cast<double>(sizes.elements);
}

const SpectralKernel& spectral_kernel(Kernel kernel) {
#if defined(__aarch64__)
  static_cast<void>(kernel);
  return neon_spectral_kernel();
#else
  switch (kernel) {
    case Kernel::ifma:
      return ifma_spectral_kernel();
    case Kernel::avx512:
      return avx512_spectral_kernel();
#ifdef FHE_AVXIFMA
    case Kernel::avxifma:
      return avxifma_spectral_kernel();
#endif
    default:
      return avx2_spectral_kernel();
  }
#endif
}

std::vector<std::unique_ptr<const SpectralTransform>> make_transforms(Kernel kernel) {
  std::vector<std::unique_ptr<const SpectralTransform>> all;
  for (const Candidate& c : kCandidates) {
    all.push_back(std::make_unique<const SpectralTransform>(c.shape(), kernel));
  }
  return all;
}

template <Kernel kKernel>
const SpectralTransform& kept_transform(std::size_t candidate) {
  // Used until the end, by threads that nobody waits for too.
  static const auto* const transforms = new auto(make_transforms(kKernel));
  return *(*transforms)[candidate];
}

const SpectralTransform& transform_of(std::size_t candidate, Kernel kernel) {
  switch (kernel) {
    case Kernel::ifma:
      return kept_transform<Kernel::ifma>(candidate);
    case Kernel::avx512:
      return kept_transform<Kernel::avx512>(candidate);
    case Kernel::avxifma:
      return kept_transform<Kernel::avxifma>(candidate);
    case Kernel::neon:
      return kept_transform<Kernel::neon>(candidate);
    default:
      return kept_transform<Kernel::avx2>(candidate);
  }
}

three_primes::OwnedTables tables_of(std::size_t prime, const three_primes::Shape& shape,
                                    three_primes::Form form) {
  return {three_primes::kNarrow.primes[prime], three_primes::kNarrow.bits, shape, form};
}

}  // namespace

SpectralTransform::SpectralTransform(const three_primes::Shape& shape, Kernel kernel)
    : kernel_(spectral_kernel(kernel)),
      transforms_(three_primes::kernels_of(kernel)),
      points_(shape.limbs() / kLanes),
      tables_{tables_of(0, shape, transforms_.form), tables_of(1, shape, transforms_.form),
              tables_of(2, shape, transforms_.form)},
      recombination_(three_primes::make_recombination(
          three_primes::kNarrow, {&tables_[0].get(), &tables_[1].get(), &tables_[2].get()}, true)) {
}

const three_primes::Field& SpectralTransform::field(std::size_t prime) const {
  return tables_[prime].get().field;
}

void SpectralTransform::forward(std::size_t prime, const std::uint64_t* words, std::size_t rows,
                                std::uint64_t* points) const {
  kernel_.fold_rows(field(prime), words, rows, points);
  std::fill(points + rows * kLanes, points + points_ * kLanes, 0);
  transforms_.forward_block(tables_[prime].get(), points, 0);
  kernel_.shorten_rows(field(prime), points, points_);
}

void SpectralTransform::inverse(std::size_t prime, std::uint64_t* rows) const {
  transforms_.inverse_block(tables_[prime].get(), rows, 0);
}

three_primes::Spill SpectralTransform::recombine(const std::uint64_t* const* residues,
                                                 std::size_t digits, std::uint64_t* limbs) const {
  return transforms_.recombine(recombination_, residues, digits, {0, 0}, limbs);
}

std::optional<SpectralPlan> spectral_plan(const SumSizes& sizes, Kernel kernel) {
  const SpectralTimes times = spectral_times(kernel);
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
    const double nanoseconds = time(times, kCandidates[k], groups, sizes);
    if (best && best->nanoseconds <= nanoseconds) continue;
    best = SpectralPlan{.transform = &transform_of(k, kernel),
                        .chunk_rows = chunk_rows,
                        .weight_rows = weight_rows,
                        .groups = groups,
                        .groups_at_once = std::min(groups, groups_in_memory(points, sizes.sets)),
                        .nanoseconds = nanoseconds};
  }
  return best;
}

}  // namespace fhe::cpu
