// SPDX-License-Identifier: Apache-2.0
// Sums over a key stream with one Karatsuba kernel: evaluated weights, and the accumulation of
// chunks as they are generated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "accel/cpu/streams/karatsuba.hpp"
#include "accel/cpu/streams/lane_buffer.hpp"
#include "accel/cpu/streams/lane_stream.hpp"
#include "libfhe/arith/integer.hpp"

namespace fhe::cpu {

// Evaluated weights in the order of KaratsubaKernel::accumulate, `slots` weights together.
class WeightTable {
 public:
  // Room for `count` weights.
  WeightTable(const KaratsubaKernel& kernel, std::size_t slots, std::size_t count);

  // Evaluates `weights` (at most 8) as the weights first, first + 1, ... Requires that they are in
  // [0, 2^chunk_bits), and limbs that they have at most chunk_rows. Disjoint ranges may be set by
  // different threads.
  void set(std::size_t first, std::span<const Integer> weights);
  void set(std::size_t first, std::span<const std::span<const Limb>> weights);

  [[nodiscard]] std::size_t slots() const { return slots_; }

  // The words of a weight and of those that follow it. Requires a multiple of slots().
  [[nodiscard]] const std::uint64_t* at(std::size_t index) const {
    return words_.data() + index * kernel_->piece_rows;
  }

 private:
  const KaratsubaKernel* kernel_;
  std::size_t slots_;
  LaneBuffer words_;
};

// The number of slots for so many sums. A single sum has the first-level cache for itself. With
// several, a few chunks are generated into the second-level cache, and what one product needs of
// them is used for all sums.
std::size_t slots_for_sums(std::size_t sums);

// Several sums in eight lanes, one for each table of weights.
class KaratsubaPass {
 public:
  // Tables of slots_for_sums(tables.size()) slots. Everything passed here must outlive the pass.
  KaratsubaPass(const KaratsubaKernel& kernel, const AesKey& key,
                std::span<const WeightTable> tables);

  // Adds the products of `terms` generated chunks with the weights first, first + 1, ... of each
  // table. Requires that `first` is a multiple of the slots.
  void add(const ChunkWalk& walk, std::size_t first, std::size_t terms);

  // The words of one sum, result_rows rows, valid until the next call. Ends that sum.
  const std::uint64_t* finish(std::size_t sum);

 private:
  void add_to_all(const ChunkWalk& walk, std::size_t first, std::size_t terms);
  [[nodiscard]] std::uint64_t* sum(std::size_t s);

  const KaratsubaKernel& kernel_;
  const AesKey& key_;
  std::span<const WeightTable> tables_;
  std::size_t slots_;
  std::size_t terms_since_carries_ = 0;
  LaneBuffer chunk_;   // one evaluated chunk
  LaneBuffer pieces_;  // of all slots, where there are several
  LaneBuffer sums_;
  LaneBuffer result_;
};

}  // namespace fhe::cpu
