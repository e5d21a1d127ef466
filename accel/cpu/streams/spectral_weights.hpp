// SPDX-License-Identifier: Apache-2.0
// The spectra of weights, for a range of terms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "accel/cpu/streams/lane_buffer.hpp"
#include "accel/cpu/streams/spectral_plan.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/weights.hpp"

namespace fhe::cpu {

// In the order of PointProducts, kSpectralTerms terms together. Wiped with the memory.
class SpectralWeights {
 public:
  // Room for `terms` weights of each of `sets` sets. The plan must outlive the object.
  SpectralWeights(const SpectralPlan& plan, std::size_t sets, std::size_t terms);

  // Transforms the weights first, first + 1, ..., first + terms - 1 of all sets of the batch, on
  // all threads. Requires as many sets, and not more terms, than there is room for.
  void set(std::span<const DenseWeights> batch, std::size_t first, std::size_t terms);

  // The points modulo one prime of kSpectralTerms terms from `term` on (a multiple of that),
  // counted from the first that was set.
  [[nodiscard]] const std::uint64_t* at(std::size_t term, std::size_t prime) const {
    return words_.data() + offset(term, prime);
  }

 private:
  // The words of weight `index` of at most eight sets, one set in each lane: then what the sets
  // have at one point stands together, as in the table.
  static void gather(std::span<const DenseWeights> sets, std::size_t index, LaneBuffer& words);
  void store(const LaneBuffer& points, std::size_t prime, std::size_t term, std::size_t set);
  [[nodiscard]] std::size_t offset(std::size_t term, std::size_t prime) const;

  const SpectralPlan& plan_;
  std::size_t sets_;
  LaneBuffer words_;
};

}  // namespace fhe::cpu
