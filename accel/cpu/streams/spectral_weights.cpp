// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/streams/spectral_weights.hpp"

#include <algorithm>

#include "accel/cpu/streams/spectral_kernel.hpp"
#include "libfhe/arith/parallel.hpp"

namespace fhe::cpu {

SpectralWeights::SpectralWeights(const SpectralPlan& plan, std::size_t sets, std::size_t terms)
    : plan_(plan), sets_(sets) {
  const std::size_t blocks = (terms + kSpectralTerms - 1) / kSpectralTerms;
  words_ = LaneBuffer(offset(blocks * kSpectralTerms, 0));
}

std::size_t SpectralWeights::offset(std::size_t term, std::size_t prime) const {
  const std::size_t of_prime = plan_.points() * kSpectralTerms * weight_words(sets_);
  return (term / kSpectralTerms * three_primes::kPrimes + prime) * of_prime;
}

void SpectralWeights::set(std::span<const DenseWeights> batch, std::size_t first,
                          std::size_t terms) {
  constexpr std::size_t kSpan = 4;  // terms in one step of the parallel loop
  parallel_for((terms + kSpan - 1) / kSpan, [&](std::size_t span) {
    LaneBuffer words(plan_.weight_rows * kLanes);
    LaneBuffer points(plan_.points() * kLanes);
    const std::size_t end = std::min((span + 1) * kSpan, terms);
    for (std::size_t term = span * kSpan; term < end; ++term) {
      for (std::size_t set = 0; set < sets_; set += kLanes) {
        gather(batch.subspan(set, std::min(kLanes, sets_ - set)), first + term, words);
        for (std::size_t prime = 0; prime < three_primes::kPrimes; ++prime) {
          plan_.transform->forward(prime, words.data(), plan_.weight_rows, points.data());
          store(points, prime, term, set);
        }
      }
    }
  });
}

void SpectralWeights::gather(std::span<const DenseWeights> sets, std::size_t index,
                             LaneBuffer& words) {
  std::fill_n(words.data(), words.size(), 0);
  for (std::size_t lane = 0; lane < sets.size(); ++lane) {
    const auto limbs = limbs_of(sets[lane][index]);
    for (std::size_t row = 0; row < limbs.size(); ++row) {
      words.data()[row * kLanes + lane] = limbs[row];
    }
  }
}

void SpectralWeights::store(const LaneBuffer& points, std::size_t prime, std::size_t term,
                            std::size_t set) {
  const std::size_t step = weight_words(sets_);
  std::uint64_t* to = words_.data() + offset(term, prime) + term % kSpectralTerms * step + set;
  for (std::size_t n = 0; n < plan_.points(); ++n) {
    std::copy_n(points.data() + n * kLanes, kLanes, to + n * kSpectralTerms * step);
  }
}

}  // namespace fhe::cpu
