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

  // Numbers that stay on the device: number i from the word i * stride on, of `words` words.
  struct Sums {
    Buffer buffer;
    std::size_t count = 0;
    std::size_t words = 0;
    std::size_t stride = 0;

    [[nodiscard]] Number number(std::size_t i) const { return {buffer.at(stride * i), words}; }
  };

  // Backend::selected_sums of elements that are on the device, by the masks from `first` on.
  [[nodiscard]] Sums selected(const Elements& elements, const BlockSelection& selection,
                              std::size_t first) const;
  // The same for a stream, if all of its elements fit on the device at once.
  [[nodiscard]] bool fits(const IntegerStream& stream) const {
    return cache_.at_once(stream) == stream.count();
  }
  [[nodiscard]] Sums selected(const IntegerStream& stream, const BlockSelection& selection,
                              const Monitor& monitor) const {
    return selected(*cache_.get(stream, 0, stream.count(), monitor), selection, 0);
  }
  // The same for a list.
  [[nodiscard]] Sums selected(std::span<const Integer> list,
                              const BlockSelection& selection) const {
    return selected(*cache_.get(list), selection, 0);
  }

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
  // The numbers that `items` make the columns of, each of `count` columns.
  template <class Code>
  [[nodiscard]] Sums sums_of(std::vector<typename Code::Item>& items, std::size_t count) const;

  const Arithmetic& arithmetic_;
  mutable ElementCache cache_;
};

}  // namespace fhe::gpu
