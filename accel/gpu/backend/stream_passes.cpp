// SPDX-License-Identifier: Apache-2.0
#include "accel/gpu/backend/stream_passes.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "libfhe/secret/vector.hpp"

namespace fhe::gpu {

namespace {

constexpr std::size_t kSpareWords = 2;  // the upper words of columns stand one and two higher

std::size_t weight_words(std::span<const DenseWeights> batch) {
  std::size_t words = 1;
  for (const DenseWeights& weights : batch) words = std::max(words, longest_words(weights));
  return words;
}

std::size_t largest_position(std::span<const SparseWeights> batch) {
  std::size_t largest = 0;
  for (const SparseWeights& weights : batch) {
    for (const std::uint32_t position : weights.positions) {
      largest = std::max<std::size_t>(largest, position);
    }
  }
  return largest;
}

std::vector<Integer> fetched(const Arithmetic& arithmetic, const StreamPasses::Sums& sums) {
  SecretVector<Word> words(sums.words);
  std::vector<Integer> numbers;
  for (std::size_t i = 0; i < sums.count; ++i) {
    arithmetic.get(sums.number(i), words);
    numbers.push_back(from_limbs(words));
  }
  return numbers;
}

}  // namespace

void StreamPasses::for_pieces(const IntegerStream& stream, std::size_t multiple,
                              const Monitor& monitor, std::string_view phase,
                              const Use& use) const {
  const std::size_t fitting = cache_.at_once(stream);
  const std::size_t at_once =
      fitting == stream.count() ? fitting : std::max(fitting / multiple * multiple, multiple);
  Progress progress(monitor, phase, (stream.count() + at_once - 1) / at_once);
  for (std::size_t first = 0; first < stream.count(); first += at_once) {
    const std::size_t count = std::min(at_once, stream.count() - first);
    use(*cache_.get(stream, first, count, monitor), first);
    progress.advance();
  }
}

template <class Code>
StreamPasses::Sums StreamPasses::sums_of(std::vector<typename Code::Item>& items,
                                         std::size_t count) const {
  const std::size_t words = count + kSpareWords;
  Sums sums{.buffer = arithmetic_.zeros(3 * words * items.size()),
            .count = items.size(),
            .words = words,
            .stride = 3 * words};
  const Buffer carries = arithmetic_.room(items.size());
  std::vector<Arithmetic::Addition> middle;
  std::vector<Arithmetic::Addition> high;
  for (std::size_t i = 0; i < items.size(); ++i) {
    Word* const at = sums.buffer.at(sums.stride * i);
    items[i].columns = {at, at + words + 1, at + 2 * words + 2, count};
    middle.push_back({.x = {at, words}, .y = {at + words, words}, .sum = at});
    high.push_back({.x = {at, words}, .y = {at + 2 * words, words}, .sum = at});
  }
  launch<Code>(arithmetic_.device(), items, blocks_for(count, Code::kThreads));
  arithmetic_.add(middle, words, carries.at());
  arithmetic_.add(high, words, carries.at());
  return sums;
}

std::size_t StreamPasses::sum_words(std::size_t element_words,
                                    std::span<const DenseWeights> batch) {
  return element_words + weight_words(batch) + kSpareWords;
}

std::size_t StreamPasses::sum_words(std::size_t element_words,
                                    std::span<const SparseWeights> batch) {
  return element_words + largest_position(batch) / kWordBits + 1 + kSpareWords;
}

std::size_t StreamPasses::selected_words(std::size_t element_words) {
  return element_words + kSpareWords;
}

std::size_t StreamPasses::sums_at_once(std::size_t sum_words) {
  constexpr std::size_t kWorkingWords = std::size_t{1} << 27;
  return std::max<std::size_t>(1, kWorkingWords / (3 * sum_words));
}

StreamPasses::Sums StreamPasses::weighted(const Elements& elements,
                                          std::span<const DenseWeights> batch,
                                          std::size_t first) const {
  const std::size_t words_each = weight_words(batch);
  SecretVector<Word> words;
  words.reserve(words_each * elements.count * batch.size());
  for (const DenseWeights& weights : batch) {
    const auto some =
        words_of<SecretVector<Word>>(std::span(weights).subspan(first, elements.count), words_each);
    words.insert(words.end(), some.begin(), some.end());
  }
  const Buffer weights(arithmetic_.device(), words);
  std::vector<DenseSums::Item> items;
  for (std::size_t s = 0; s < batch.size(); ++s) {
    items.push_back({.elements = elements.words.at(),
                     .count = elements.count,
                     .words_each = elements.words_each,
                     .weights = weights.at(words_each * elements.count * s),
                     .weight_words = words_each,
                     .columns = {}});
  }
  return sums_of<DenseSums>(items, sum_words(elements.words_each, batch) - kSpareWords);
}

StreamPasses::Sums StreamPasses::weighted(const Elements& elements,
                                          std::span<const SparseWeights> batch,
                                          std::size_t first) const {
  SecretVector<Word> words;
  std::vector<SparseSums::Item> items;
  for (const SparseWeights& weights : batch) {
    const std::size_t ones = weights.ones_per_weight;
    const auto some = std::span(weights.positions).subspan(first * ones, elements.count * ones);
    words.insert(words.end(), some.begin(), some.end());
    items.push_back({.elements = elements.words.at(),
                     .count = elements.count,
                     .words_each = elements.words_each,
                     .positions = nullptr,
                     .ones = ones,
                     .columns = {}});
  }
  const Buffer positions(arithmetic_.device(), words);
  std::size_t at = 0;
  for (SparseSums::Item& item : items) {
    item.positions = positions.at(at);
    at += item.ones * elements.count;
  }
  return sums_of<SparseSums>(items, sum_words(elements.words_each, batch) - kSpareWords);
}

template <class Weights>
std::vector<Integer> StreamPasses::all_weighted_sums(const IntegerStream& stream,
                                                     std::span<const Weights> batch,
                                                     const Monitor& monitor) const {
  const std::size_t at_once = sums_at_once(sum_words(stream.limbs(), batch));
  std::vector<Integer> sums(batch.size());
  for_pieces(stream, 1, monitor, "weighted sums", [&](const Elements& elements, std::size_t first) {
    for (std::size_t s = 0; s < batch.size(); s += at_once) {
      monitor.throw_if_stopped();
      const auto some = batch.subspan(s, std::min(at_once, batch.size() - s));
      const std::vector<Integer> parts = fetched(arithmetic_, weighted(elements, some, first));
      for (std::size_t i = 0; i < parts.size(); ++i) sums[s + i] += parts[i];
    }
  });
  return sums;
}

std::vector<Integer> StreamPasses::weighted_sums(const IntegerStream& stream,
                                                 std::span<const DenseWeights> batch,
                                                 const Monitor& monitor) const {
  return all_weighted_sums(stream, batch, monitor);
}

std::vector<Integer> StreamPasses::weighted_sums(const IntegerStream& stream,
                                                 std::span<const SparseWeights> batch,
                                                 const Monitor& monitor) const {
  return all_weighted_sums(stream, batch, monitor);
}

StreamPasses::Sums StreamPasses::selected(const Elements& elements, const BlockSelection& selection,
                                          std::size_t first) const {
  SelectedSums::Item all{};
  all.elements = elements.words.at();
  all.words_each = elements.words_each;
  return selected_of(all, elements.count, selection, first);
}

StreamPasses::Sums StreamPasses::selected(std::span<const Number> numbers, std::size_t words_each,
                                          const BlockSelection& selection) const {
  std::vector<Word> addresses;
  addresses.reserve(numbers.size());
  for (const Number& x : numbers) addresses.push_back(reinterpret_cast<Word>(x.words));
  const Buffer places(arithmetic_.device(), addresses);
  SelectedSums::Item all{};
  all.places = places.at();
  all.words_each = words_each;
  return selected_of(all, numbers.size(), selection, 0);
}

StreamPasses::Sums StreamPasses::selected_of(SelectedSums::Item item, std::size_t count,
                                             const BlockSelection& selection,
                                             std::size_t first) const {
  const std::size_t block_size = std::min(selection.block_size, count);
  const auto masks_at = selection.masks.begin() + static_cast<std::ptrdiff_t>(first);
  const std::vector<Word> words(masks_at, masks_at + static_cast<std::ptrdiff_t>(count));
  const Buffer masks(arithmetic_.device(), words);
  item.masks = masks.at();
  std::vector<SelectedSums::Item> items;
  for (item.first = 0; item.first < count; item.first += block_size) {
    item.end = std::min<Word>(item.first + block_size, count);
    for (item.bit = 0; item.bit < selection.width; ++item.bit) items.push_back(item);
  }
  return sums_of<SelectedSums>(items, item.words_each);
}

std::vector<Integer> StreamPasses::selected_sums(const IntegerStream& stream,
                                                 const BlockSelection& selection,
                                                 const Monitor& monitor) const {
  const std::size_t block_size = std::min(selection.block_size, stream.count());
  std::vector<Integer> sums;
  for_pieces(stream, block_size, monitor, "selected sums",
             [&](const Elements& elements, std::size_t first) {
               std::vector<Integer> some =
                   fetched(arithmetic_, selected(elements, selection, first));
               std::ranges::move(some, std::back_inserter(sums));
             });
  return sums;
}

std::shared_ptr<const Buffer> StreamPasses::reversed(const Integer& factor, std::size_t n) const {
  std::vector<Word> words(n + 1);
  const std::span<const Limb> limbs = limbs_of(factor);
  for (std::size_t j = 0; j < limbs.size(); ++j) words[n - 1 - j] = limbs[j];
  std::shared_ptr<const Buffer> dropped;  // freed after the lock
  const std::lock_guard lock(guard_);
  if (words != last_factor_) {
    auto buffer = std::make_shared<const Buffer>(arithmetic_.device(), words);
    dropped = std::exchange(last_factor_buffer_, std::move(buffer));
    last_factor_ = std::move(words);
  }
  return last_factor_buffer_;
}

// With c scaled so that M is n words, LeadingWords gives an estimate of word n - 1 that is smaller
// by less than 2 n + 1, and so decides all but few windows; those are computed in full.
std::vector<std::uint32_t> StreamPasses::product_windows(const Integer& c,
                                                         const IntegerStream& stream,
                                                         const WindowSpec& spec,
                                                         const Backend& backend,
                                                         const Monitor& monitor) const {
  const std::size_t n = limbs_for_bits(spec.modulus_bits);
  const Integer scaled = low_bits(c << (n * kWordBits - spec.modulus_bits), n * kWordBits);
  const auto factor = reversed(scaled, n);
  const unsigned shift = kWordBits - 1 - spec.window_bits;
  const Word mask = (Word{1} << spec.window_bits) - 1;
  std::vector<std::uint32_t> windows;
  for_pieces(stream, 1, monitor, "expand", [&](const Elements& elements, std::size_t first) {
    const Buffer leading = arithmetic_.room(elements.count);
    const LeadingWords::Item item{.elements = elements.words.at(),
                                  .words_each = elements.words_each,
                                  .reversed = factor->at(),
                                  .leading = leading.at()};
    launch<LeadingWords>(arithmetic_.device(), std::span(&item, 1), elements.count);
    std::vector<Word> words(elements.count);
    leading.get(words);
    for (std::size_t i = 0; i < words.size(); ++i) {
      Word word = words[i];
      if ((word + 2 * n + 1) >> shift != word >> shift) {
        const Integer product = backend.multiply(scaled, stream.element(first + i));
        const Integer top = low_bits(product >> ((n - 1) * kWordBits), kWordBits);
        word = sgn(top) == 0 ? 0 : limbs_of(top)[0];
      }
      windows.push_back(static_cast<std::uint32_t>(((word >> shift) + 1) >> 1 & mask));
    }
  });
  return windows;
}

}  // namespace fhe::gpu
