// SPDX-License-Identifier: Apache-2.0
// The elements of streams in the memory of a device.
#pragma once

#include <algorithm>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "accel/gpu/backend/arithmetic.hpp"
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

}  // namespace fhe::gpu
