// SPDX-License-Identifier: Apache-2.0
// Sums with one Karatsuba kernel: evaluated weights, and the accumulation of chunks that are
// generated, or read from integers in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "accel/cpu/streams/kernels.hpp"
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

// Lane l of `rows` rows of words gets the limbs of x from l * stride on, and 0 past its end.
void gather_chunks(std::span<const Limb> x, std::size_t stride, std::size_t rows,
                   LaneBuffer& words);

// Several sums in eight lanes, one for each table of weights.
class KaratsubaPass {
 public:
  // Tables of slots_for_sums(tables.size()) slots. Everything passed here must outlive the pass.
  KaratsubaPass(const KaratsubaKernel& kernel, std::span<const WeightTable> tables);

  // Adds the products of `terms` generated chunks with the weights first, first + 1, ... of each
  // table. Requires that `first` is a multiple of the slots.
  void add(const AesKey& key, const ChunkWalk& walk, std::size_t first, std::size_t terms);

  // The same with the chunks of integers in memory: eight from limb `first_limb` on, of each. Of
  // non-negative numbers.
  void add(std::span<const Integer* const> terms, std::size_t first_limb, std::size_t first);

  // The words of one sum, result_rows rows, valid until the next call. Ends that sum.
  const std::uint64_t* finish(std::size_t sum);

 private:
  // Brings digits down where `terms` more may not follow.
  void make_room(std::size_t terms);
  // Adds chunks that `put(i)` puts into chunk_, evaluated, for i < terms; at most slots_.
  template <class Put>
  void add_slots(const Put& put, std::size_t first, std::size_t terms);
  [[nodiscard]] std::uint64_t* sum(std::size_t s);

  const KaratsubaKernel& kernel_;
  std::span<const WeightTable> tables_;
  std::size_t slots_;
  std::size_t terms_since_carries_ = 0;
  LaneBuffer chunk_;   // one evaluated chunk
  LaneBuffer pieces_;  // of all slots, where there are several
  LaneBuffer sums_;
  LaneBuffer result_;
};

}  // namespace fhe::cpu
