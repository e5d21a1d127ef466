// SPDX-License-Identifier: Apache-2.0
// Sums and products over streams on a device. Arguments are valid ones, as Backend states them, and
// streams and batches not empty.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "accel/gpu/backend/elements.hpp"
#include "libfhe/arith/backend.hpp"

namespace fhe::gpu {

class StreamPasses {
 public:
  // Keeps elements of streams in up to `room` bytes. `arithmetic` must outlive the object.
  StreamPasses(const Arithmetic& arithmetic, std::size_t room)
      : arithmetic_(arithmetic), cache_(arithmetic, room) {}

  // What Backend's functions of these names give, without their counters.
  [[nodiscard]] std::vector<Integer> weighted_sums(const IntegerStream& stream,
                                                   std::span<const DenseWeights> batch,
                                                   const Monitor& monitor) const;
  [[nodiscard]] std::vector<Integer> weighted_sums(const IntegerStream& stream,
                                                   std::span<const SparseWeights> batch,
                                                   const Monitor& monitor) const;
  [[nodiscard]] std::vector<Integer> selected_sums(const IntegerStream& stream,
                                                   const BlockSelection& selection,
                                                   const Monitor& monitor) const;
  [[nodiscard]] std::vector<std::uint32_t> product_windows(const Integer& c,
                                                           const IntegerStream& stream,
                                                           const WindowSpec& spec,
                                                           const Backend& backend,
                                                           const Monitor& monitor) const;

 private:
  // add(elements, first) for all elements, in pieces of `multiple` times some number.
  template <class Add>
  void for_pieces(const IntegerStream& stream, std::size_t multiple, const Monitor& monitor,
                  std::string_view phase, const Add& add) const;
  // The numbers that `items` make the columns of, each of `count` words.
  template <class Code>
  [[nodiscard]] std::vector<Integer> numbers(std::vector<typename Code::Item>& items,
                                             std::size_t count) const;

  const Arithmetic& arithmetic_;
  mutable ElementCache cache_;
};

}  // namespace fhe::gpu
