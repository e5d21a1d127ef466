// SPDX-License-Identifier: Apache-2.0
// The weights of many sums as a plug-in reads them, and which it may have.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "accel/plugin/backend_abi.h"
#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/weights.hpp"
#include "libfhe/secret/vector.hpp"

namespace fhe::plugin {

// Whether the plug-in may have these weights of a stream of `count` elements; libfhe's default
// throws for invalid ones. Sparse weights must all have one number of ones, as those of encryption
// do.
[[nodiscard]] bool can_be_summed(std::size_t count, std::span<const DenseWeights> batch);
[[nodiscard]] bool can_be_summed(std::size_t count, std::span<const SparseWeights> batch);

// Whether it may have them in runs of sets with one number of ones.
[[nodiscard]] bool can_be_summed_in_runs(std::size_t count, std::span<const SparseWeights> batch);

// How many sets at the front have one number of ones. Requires a set.
[[nodiscard]] std::size_t length_of_run(std::span<const SparseWeights> batch);

// The sums of all sets, run by run: sums_of(run) gives those of one. Each run reads the stream
// again.
template <class SumsOf>
[[nodiscard]] std::vector<Integer> sums_in_runs(std::span<const SparseWeights> batch,
                                                const SumsOf& sums_of) {
  std::vector<Integer> sums;
  sums.reserve(batch.size());
  while (!batch.empty()) {
    const auto run = batch.first(length_of_run(batch));
    for (Integer& sum : sums_of(run)) sums.push_back(std::move(sum));
    batch = batch.subspan(run.size());
  }
  return sums;
}

// Dense weights for a plug-in. They must outlive the object.
class DenseForPlugin {
 public:
  explicit DenseForPlugin(std::span<const DenseWeights> batch);

  [[nodiscard]] const fhe_number* view() const { return numbers_.data(); }
  [[nodiscard]] std::size_t bits() const { return bits_; }  // of the longest weight

 private:
  std::vector<fhe_number> numbers_;
  std::size_t bits_ = 0;
};

// A copy of sparse weights for a plug-in. Requires can_be_summed.
class SparseForPlugin {
 public:
  explicit SparseForPlugin(std::span<const SparseWeights> batch);
  SparseForPlugin(const SparseForPlugin&) = delete;
  SparseForPlugin& operator=(const SparseForPlugin&) = delete;

  [[nodiscard]] const fhe_sparse_weights* view() const { return &view_; }
  [[nodiscard]] std::size_t bits() const { return bits_; }  // of the longest weight

 private:
  SecretIndices positions_;
  fhe_sparse_weights view_{};
  std::size_t bits_ = 0;
};

}  // namespace fhe::plugin
