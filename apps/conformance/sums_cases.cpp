// SPDX-License-Identifier: Apache-2.0
// Weighted sums and bit-selected sums over streams.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "apps/conformance/cases.hpp"
#include "apps/conformance/key_streams.hpp"
#include "apps/conformance/oracle.hpp"
#include "apps/conformance/trial.hpp"
#include "libfhe/arith/ring.hpp"

namespace fhe::conformance {

namespace {

// ---- weighted sums

template <class Weights>
void weighted_sums(Trial& trial, const KeyStream& key, const std::vector<Weights>& batch) {
  const auto ring = trial.backend().ring(key.modulus);
  std::vector<Integer> expected;
  expected.reserve(batch.size());
  for (const Weights& weights : batch) {
    expected.push_back(oracle::weighted_sum(key.view(), weights, key.modulus));
  }
  for_thread_counts([&](std::string_view on_threads) {
    trial.equal(ring->weighted_sums(key.view(), batch, trial.monitor()), expected,
                fmt::format("{} weighted sums over {} elements of {} bits {}", batch.size(),
                            key.elements->count(), key.elements->bits(), on_threads));
  });
}

// Over streams of every shape, with sums of as many sets of weights as `draw` makes.
template <class Draw>
void over_stored_streams(Trial& trial, const Draw& draw) {
  Operands& operands = trial.operands();
  for (const bool corrected : {false, true}) {
    for (const StreamShape& shape : kShapes) {
      const KeyStream key = stored_key(operands, shape.count, shape.bits, corrected);
      for (const std::size_t batch_size : {0U, 1U, 3U}) {
        std::vector<decltype(draw(shape.count))> batch;
        for (std::size_t b = 0; b < batch_size; ++b) batch.push_back(draw(shape.count));
        weighted_sums(trial, key, batch);
      }
    }
  }
}

void dense_stored(Trial& trial) {
  Operands& operands = trial.operands();
  over_stored_streams(trial, [&](std::size_t count) {
    return DenseWeights(operands.list(count, operands.between(1, 300)));
  });
}

void sparse_stored(Trial& trial) {
  Operands& operands = trial.operands();
  over_stored_streams(trial, [&](std::size_t count) {
    const std::size_t ones = operands.between(1, 15);
    return sparse(operands, count, ones, operands.between(15, 1000));
  });
}

void over_public_streams(Trial& trial) {
  Operands& operands = trial.operands();
  for (const std::size_t bits : {1000U, 40'001U}) {
    const KeyStream key = public_key(operands, 40, bits);
    const std::vector<DenseWeights> dense_batch{operands.list(40, 936), operands.list(40, 936)};
    const std::vector<SparseWeights> sparse_batch{sparse(operands, 40, 15, 936)};
    weighted_sums(trial, key, dense_batch);
    weighted_sums(trial, key, sparse_batch);
  }
}

void weights_at_the_ends(Trial& trial) {
  const std::size_t count = 50;
  const KeyStream key = full_key(trial.operands(), count, 66'000);
  const std::vector<DenseWeights> batch{
      DenseWeights(count, 0), DenseWeights(count, 1), DenseWeights(count, all_ones(64)),
      DenseWeights(count, power_of_two(64)), DenseWeights(count, all_ones(1000))};
  weighted_sums(trial, key, batch);
  // Short weights alone: sums without a long weight among them may be made in another way.
  for (const std::size_t bits : {1U, 63U, 64U, 65U, 128U, 256U, 257U}) {
    weighted_sums(trial, key,
                  std::vector<DenseWeights>{DenseWeights(count, all_ones(bits)),
                                            DenseWeights(count, power_of_two(bits - 1)),
                                            DenseWeights(count, 0)});
  }

  const SparseWeights none{.ones_per_weight = 0, .positions = {}};
  const SparseWeights lowest{.ones_per_weight = 1, .positions = SecretIndices(count, 0)};
  const SparseWeights limb{.ones_per_weight = 1, .positions = SecretIndices(count, 64)};
  const SparseWeights high{.ones_per_weight = 1, .positions = SecretIndices(count, 2047)};
  weighted_sums(trial, key, std::vector<SparseWeights>{none, lowest, limb, high});
}

void weights_of_nothing(Trial& trial) {
  const StoredStream empty({}, 500);
  const auto ring = trial.backend().ring(101);
  const std::vector<DenseWeights> dense_batch(2);
  const std::vector<SparseWeights> sparse_batch(2);
  const std::vector<Integer> zeros(2);
  trial.equal(ring->weighted_sums({empty, {}}, dense_batch, trial.monitor()), zeros,
              "dense sums over an empty stream");
  trial.equal(ring->weighted_sums({empty, {}}, sparse_batch, trial.monitor()), zeros,
              "sparse sums over an empty stream");
}

template <class Weights>
void refuses_weights(Trial& trial, const CorrectedStream& x, const std::vector<Weights>& batch,
                     std::string_view what) {
  const auto ring = trial.backend().ring(101);
  trial.refuses(
      ErrorCode::invalid_argument,
      [&] { static_cast<void>(ring->weighted_sums(x, batch, trial.monitor())); }, what);
}

void unfitting_weights(Trial& trial) {
  const StoredStream stream({1, 2, 3}, 10);
  const std::vector<DenseWeights> fitting{{1, 1, 1}};
  const std::vector<DenseWeights> shorter{{1, 1, 1}, {1, 1}};
  const std::vector<SparseWeights> sparse_fitting{{.ones_per_weight = 1, .positions = {1, 1, 1}}};
  const std::vector<SparseWeights> longer{{.ones_per_weight = 1, .positions = {1, 1, 1, 1}}};
  const std::vector<Integer> corrections{1, 2};
  refuses_weights(trial, {stream, {}}, shorter, "a dense sum with too few weights");
  refuses_weights(trial, {stream, {}}, longer, "a sparse sum with too many weights");
  refuses_weights(trial, {stream, corrections}, fitting, "a dense sum with too few corrections");
  refuses_weights(trial, {stream, corrections}, sparse_fitting,
                  "a sparse sum with too few corrections");
}

// ---- selected sums

void selected_sums(Trial& trial, const KeyStream& key, const BlockSelection& which) {
  const auto ring = trial.backend().ring(key.modulus);
  const std::vector<Integer> expected = oracle::selected_sums(key.view(), which, key.modulus);
  for_thread_counts([&](std::string_view on_threads) {
    trial.equal(ring->selected_sums(key.view(), which, trial.monitor()), expected,
                fmt::format("selected sums of width {} in blocks of {} over {} elements of {} "
                            "bits {}",
                            which.width, which.block_size, key.elements->count(),
                            key.elements->bits(), on_threads));
  });
  std::vector<Integer> values;
  for (const Operand& sum : ring->selected_elements(key.view(), which, trial.monitor())) {
    values.push_back(sum.value());
  }
  trial.equal(values, expected, "selected sums as elements of the ring");
}

void selected_stored(Trial& trial) {
  Operands& operands = trial.operands();
  for (const bool corrected : {false, true}) {
    for (const StreamShape& shape : kShapes) {
      const KeyStream key = stored_key(operands, shape.count, shape.bits, corrected);
      for (unsigned width = 1; width <= 6; ++width) {
        const std::size_t block_size = operands.between(1, shape.count + 1);
        selected_sums(trial, key, selection(operands, shape.count, block_size, width));
      }
    }
  }
}

void blocks_of_every_size(Trial& trial) {
  Operands& operands = trial.operands();
  const KeyStream key = public_key(operands, 30, 500);
  for (std::size_t block_size = 1; block_size <= 32; ++block_size) {
    selected_sums(trial, key, selection(operands, 30, block_size, 5));
  }
  constexpr std::size_t kLargest = std::numeric_limits<std::size_t>::max();
  for (const std::size_t block_size : {kLargest, kLargest - 1, kLargest / 2 + 1}) {
    selected_sums(trial, key, selection(operands, 30, block_size, 5));
  }
  selected_sums(trial, key, selection(operands, 30, 7, 32));
}

// Elements of a ring, kept and not, some of them several times, as the rows of a key.
void selected_of_ring(Trial& trial) {
  Operands& operands = trial.operands();
  for (const std::size_t bits : {2U, 64U, 1000U, 1024U, 40'000U}) {
    const Integer modulus = operands.exactly(bits) | 1;
    const auto ring = trial.backend().ring(modulus);
    std::vector<Operand> given;
    given.reserve(14);
    for (int i = 0; i < 12; ++i) given.emplace_back(operands.below(modulus));
    given.emplace_back(Integer(0));
    given.emplace_back(Integer(modulus - 1));
    const std::vector<Operand> kept = ring->keep_all(given);
    std::vector<Operand> elements;
    std::vector<Integer> values;
    for (std::size_t i = 0; i < 60; ++i) {
      const std::size_t which = operands.between(0, given.size() - 1);
      const bool is_kept = i < 40 || bits < 1000;
      elements.push_back(is_kept ? kept[which] : given[which]);
      values.push_back(given[which].value());
    }
    const BlockSelection chosen = selection(operands, elements.size(), 9, 5);
    std::vector<Integer> sums;
    for (const Operand& sum : ring->selected_elements(elements, chosen, trial.monitor())) {
      sums.push_back(sum.value());
    }
    const StoredStream stream(values, bits);
    trial.equal(sums, oracle::selected_sums({stream, {}}, chosen, modulus),
                fmt::format("selected sums of elements of a ring of {} bits", bits));
    for (std::size_t i = 0; i < kept.size(); ++i) {
      trial.equal(kept[i].value(), given[i].value(), "an element that is kept");
      trial.equal(ring->multiply(kept[i], elements[i]), given[i].value() * values[i] % modulus,
                  "a product with an element that is kept");
    }
  }
  const auto ring = trial.backend().ring(101);
  trial.holds(ring->keep_all({}).empty(), "no elements are kept as none");
}

void nothing_and_everything(Trial& trial) {
  const KeyStream key = full_key(trial.operands(), 40, 66'000);
  for (const std::uint32_t mask : {0U, 31U}) {
    selected_sums(trial, key,
                  {.block_size = 10, .width = 5, .masks = std::vector<std::uint32_t>(40, mask)});
  }
  const StoredStream empty({}, 500);
  trial.holds(trial.backend().ring(101)->selected_sums({empty, {}}, {}, trial.monitor()).empty(),
              "there are no selected sums over an empty stream");
}

void refuses_selection(Trial& trial, const CorrectedStream& x, const BlockSelection& which,
                       std::string_view what) {
  const auto ring = trial.backend().ring(101);
  trial.refuses(
      ErrorCode::invalid_argument,
      [&] { static_cast<void>(ring->selected_sums(x, which, trial.monitor())); }, what);
}

void unfitting_selection(Trial& trial) {
  const StoredStream stream({1, 2, 3}, 10);
  const std::vector<Integer> corrections{1, 2};
  refuses_selection(trial, {stream, {}}, {.block_size = 2, .width = 1, .masks = {1, 1}},
                    "a selection with too few masks");
  refuses_selection(trial, {stream, corrections}, {.block_size = 2, .width = 1, .masks = {1, 1, 1}},
                    "a selection with too few corrections");
}

void impossible_selection(Trial& trial) {
  const StoredStream stream({1, 2, 3}, 10);
  const auto refuses = [&](const BlockSelection& which, std::string_view what) {
    refuses_selection(trial, {stream, {}}, which, what);
  };
  refuses({.block_size = 2, .width = 1, .masks = {1, 1, 2}},
          "a mask with a bit outside of the width");
  refuses({.block_size = 2, .width = 33, .masks = {1, 1, 1}}, "a selection of the width 33");
  refuses({.block_size = 2, .width = 0, .masks = {1, 1, 1}}, "a selection of the width 0");
  refuses({.block_size = 0, .width = 1, .masks = {1, 1, 1}}, "a selection with empty blocks");
}

}  // namespace

std::vector<Case> weighted_sums_cases() {
  return {
      {.name = "dense weighted sums over stored streams",
       .area = "weighted_sums",
       .run = dense_stored,
       .is_many = true},
      {.name = "sparse weighted sums over stored streams",
       .area = "weighted_sums",
       .run = sparse_stored,
       .is_many = true},
      {"weighted sums over public streams", "weighted_sums", over_public_streams},
      {.name = "weights at the ends of their range",
       .area = "weighted_sums",
       .run = weights_at_the_ends,
       .is_many = true},
      {"weighted sums over an empty stream are zero", "weighted_sums", weights_of_nothing},
      {"weights and corrections that do not fit the stream are refused", "weighted_sums",
       unfitting_weights},
  };
}

std::vector<Case> selected_sums_cases() {
  return {
      {.name = "bit-selected sums over stored streams",
       .area = "selected_sums",
       .run = selected_stored,
       .is_many = true},
      {.name = "bit-selected sums with blocks of every size",
       .area = "selected_sums",
       .run = blocks_of_every_size,
       .is_many = true},
      {"bit-selected sums of elements that are kept", "selected_sums", selected_of_ring},
      {"bit-selected sums of nothing and of everything", "selected_sums", nothing_and_everything},
      {"a selection that does not fit the stream is refused", "selected_sums", unfitting_selection},
      {"a selection of blocks, widths or mask bits that do not exist is refused", "selected_sums",
       impossible_selection},
  };
}

}  // namespace fhe::conformance
