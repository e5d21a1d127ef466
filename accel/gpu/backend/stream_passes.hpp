// SPDX-License-Identifier: Apache-2.0
// Sums and products over streams on a device. Arguments are valid ones, as Backend states them, and
// streams and batches not empty.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "accel/gpu/backend/arithmetic.hpp"
#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/integer_stream.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::gpu {

// Some successive elements of a stream, one behind the other.
struct Elements {
  Buffer words;
  std::size_t count = 0;
  std::size_t words_each = 0;
};
using ElementsPtr = std::shared_ptr<const Elements>;

// Words of the longest of some integers, at least 1.
[[nodiscard]] std::size_t longest_words(std::span<const Integer> list);

// Integers one behind the other, each in so many words: as a vector that is overwritten or not.
template <class Words>
[[nodiscard]] Words words_of(std::span<const Integer> list, std::size_t words_each) {
  Words words(words_each * list.size());
  auto at = words.begin();
  for (const Integer& x : list) {
    std::ranges::copy(limbs_of(x), at);
    at += static_cast<std::ptrdiff_t>(words_each);
  }
  return words;
}

// Makes elements, on the device where their generator is known there, and keeps those of the whole
// streams that were used last as far as there is room for them. Lists of integers, such as the
// corrections of a key, are kept as well, with a copy on the host: one that comes again is compared
// with it and not copied to the device again. Any number of threads may use it.
class ElementCache {
 public:
  // `arithmetic` must outlive the object, which keeps up to `room` bytes.
  ElementCache(const Arithmetic& arithmetic, std::size_t room);

  // How many elements of a stream are to be made at once: all if they can be kept, and else as many
  // as fit beside what is kept, at least one.
  [[nodiscard]] std::size_t at_once(const IntegerStream& stream) const;

  // Elements [first, first + count). Throws Error(stopped).
  [[nodiscard]] ElementsPtr get(const IntegerStream& stream, std::size_t first, std::size_t count,
                                const Monitor& monitor);

  // A list that is not empty, of public integers.
  [[nodiscard]] ElementsPtr get(std::span<const Integer> list);

 private:
  struct Key {
    StreamSource source;
    std::size_t first;
    std::size_t count;
    std::size_t bits;
  };
  struct Kept {
    Key key;
    ElementsPtr elements;
  };

  struct KeptList {
    std::vector<Word> words;
    ElementsPtr elements;
  };

  static bool are_same(const Key& a, const Key& b);
  // The elements of the entry that is meant, which becomes the one that was used last, or null.
  template <class Entry, class IsMeant>
  [[nodiscard]] ElementsPtr find(std::list<Entry>& entries, const IsMeant& is_meant);
  void keep(const Key& key, const ElementsPtr& elements);
  [[nodiscard]] ElementsPtr expanded(const Key& key) const;
  [[nodiscard]] ElementsPtr copied(std::vector<Word> words, std::size_t words_each);

  const Arithmetic& arithmetic_;
  std::size_t room_words_;
  Buffer round_table_;  // of AES
  std::mutex guard_;
  std::list<Kept> kept_;  // the one that was used last first
  std::list<KeptList> kept_lists_;
};

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

  // Calls use(elements, first) for all elements of a stream, in pieces of `multiple` times some
  // number that fit on the device; `first` is the index of the first one of a piece.
  using Use = std::function<void(const Elements& elements, std::size_t first)>;
  void for_pieces(const IntegerStream& stream, std::size_t multiple, const Monitor& monitor,
                  std::string_view phase, const Use& use) const;
  // The elements of a list that is not empty.
  [[nodiscard]] ElementsPtr elements(std::span<const Integer> list) const {
    return cache_.get(list);
  }

  // Backend::selected_sums of elements that are on the device, by the masks from `first` on.
  [[nodiscard]] Sums selected(const Elements& elements, const BlockSelection& selection,
                              std::size_t first = 0) const;
  // The same for numbers of `words_each` words.
  [[nodiscard]] Sums selected(std::span<const Number> numbers, std::size_t words_each,
                              const BlockSelection& selection) const;
  // Backend::weighted_sums of them, by the weights from `first` on, for some sets at once.
  [[nodiscard]] Sums weighted(const Elements& elements, std::span<const DenseWeights> batch,
                              std::size_t first = 0) const;
  [[nodiscard]] Sums weighted(const Elements& elements, std::span<const SparseWeights> batch,
                              std::size_t first = 0) const;
  // Words of these sums, and how many of them are to be made at once.
  [[nodiscard]] static std::size_t sum_words(std::size_t element_words,
                                             std::span<const DenseWeights> batch);
  [[nodiscard]] static std::size_t sum_words(std::size_t element_words,
                                             std::span<const SparseWeights> batch);
  [[nodiscard]] static std::size_t selected_words(std::size_t element_words);
  [[nodiscard]] static std::size_t sums_at_once(std::size_t sum_words);

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
  // The selected sums of `count` elements, of which `item` says where they are.
  [[nodiscard]] Sums selected_of(SelectedSums::Item item, std::size_t count,
                                 const BlockSelection& selection, std::size_t first) const;
  template <class Weights>
  [[nodiscard]] std::vector<Integer> all_weighted_sums(const IntegerStream& stream,
                                                       std::span<const Weights> batch,
                                                       const Monitor& monitor) const;
  // The numbers that `items` make the columns of, each of `count` columns.
  template <class Code>
  [[nodiscard]] Sums sums_of(std::vector<typename Code::Item>& items, std::size_t count) const;

  // The n words of a public factor in reverse order, and a zero behind them. Those of the last one
  // are kept: a ciphertext is multiplied by one part of a key after the other.
  [[nodiscard]] std::shared_ptr<const Buffer> reversed(const Integer& factor, std::size_t n) const;

  const Arithmetic& arithmetic_;
  mutable ElementCache cache_;
  mutable std::mutex guard_;
  mutable std::vector<Word> last_factor_;
  mutable std::shared_ptr<const Buffer> last_factor_buffer_;
};

}  // namespace fhe::gpu
