// SPDX-License-Identifier: Apache-2.0
#include "accel/plugin/weights_for_plugin.hpp"

#include <algorithm>
#include <iterator>

#include "accel/plugin/plugin_calls.hpp"
#include "libfhe/arith/stream_kernels.hpp"

namespace fhe::plugin {

namespace {

template <class Weights>
bool are_batch(std::size_t count, std::span<const Weights> batch) {
  return !batch.empty() && count > 0 && std::ranges::all_of(batch, [&](const Weights& weights) {
    return are_weights(weights, count);
  });
}

}  // namespace

bool can_be_summed(std::size_t count, std::span<const DenseWeights> batch) {
  return are_batch(count, batch);
}

bool can_be_summed(std::size_t count, std::span<const SparseWeights> batch) {
  return are_batch(count, batch) && batch.front().ones_per_weight > 0 &&
         length_of_run(batch) == batch.size();
}

bool can_be_summed_in_runs(std::size_t count, std::span<const SparseWeights> batch) {
  return are_batch(count, batch) && length_of_run(batch) < batch.size();
}

std::size_t length_of_run(std::span<const SparseWeights> batch) {
  const auto end = std::ranges::find_if(batch, [&](const SparseWeights& weights) {
    return weights.ones_per_weight != batch.front().ones_per_weight;
  });
  return static_cast<std::size_t>(end - batch.begin());
}

DenseForPlugin::DenseForPlugin(std::span<const DenseWeights> batch) {
  numbers_.reserve(batch.size() * batch.front().size());
  for (const DenseWeights& set : batch) {
    std::ranges::transform(set, std::back_inserter(numbers_), number);
    bits_ = std::max(bits_, max_weight_bits(set));
  }
}

SparseForPlugin::SparseForPlugin(std::span<const SparseWeights> batch) {
  positions_.reserve(batch.size() * batch.front().positions.size());
  for (const SparseWeights& set : batch) {
    positions_.insert(positions_.end(), set.positions.begin(), set.positions.end());
    bits_ = std::max(bits_, max_weight_bits(set));
  }
  view_ = {.ones = batch.front().ones_per_weight, .positions = positions_.data()};
}

}  // namespace fhe::plugin
