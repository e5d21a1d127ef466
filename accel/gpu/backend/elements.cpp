// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "accel/gpu/backend/stream_passes.hpp"
#include "libfhe/random/public_stream.hpp"

namespace fhe::gpu {

namespace {

// AES-128, FIPS 197: what ExpandStream needs.

std::uint8_t doubled(std::uint8_t x) {
  return static_cast<std::uint8_t>(x << 1 ^ (x >> 7) * 0x1b);
}

// The substitution: inverses in GF(2^8), and an affine map. 3 generates the field's units, so that
// with p = 3^k the inverse is q = 3^-k.
std::array<std::uint8_t, 256> substitution() {
  std::array<std::uint8_t, 256> box{};
  std::uint8_t p = 1;
  std::uint8_t q = 1;
  do {
    p = static_cast<std::uint8_t>(p ^ doubled(p));
    q = static_cast<std::uint8_t>(q ^ q << 1);
    q = static_cast<std::uint8_t>(q ^ q << 2);
    q = static_cast<std::uint8_t>(q ^ q << 4);
    if ((q & 0x80) != 0) q ^= 0x09;
    box[p] = static_cast<std::uint8_t>(q ^ std::rotl(q, 1) ^ std::rotl(q, 2) ^ std::rotl(q, 3) ^
                                       std::rotl(q, 4) ^ 0x63);
  } while (p != 1);
  box[0] = 0x63;
  return box;
}

// (2 s, s, s, 3 s) for each byte, two in a word.
std::vector<Word> round_table() {
  const auto box = substitution();
  std::vector<Word> table(128);
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const Word s = box[byte];
    const Word twice = doubled(box[byte]);
    const Word entry = twice << 24 | s << 16 | s << 8 | (twice ^ s);
    table[byte / 2] |= entry << (32 * (byte % 2));
  }
  return table;
}

std::vector<Word> round_keys(const std::array<std::byte, 16>& seed) {
  const auto box = substitution();
  const auto substituted = [&](std::uint32_t x) {
    return std::uint32_t{box[x >> 24]} << 24 | std::uint32_t{box[x >> 16 & 0xff]} << 16 |
           std::uint32_t{box[x >> 8 & 0xff]} << 8 | box[x & 0xff];
  };
  std::vector<Word> keys(44);
  for (std::size_t i = 0; i < 16; ++i) {
    keys[i / 4] = keys[i / 4] << 8 | std::to_integer<Word>(seed[i]);
  }
  std::uint8_t constant = 1;
  for (std::size_t i = 4; i < keys.size(); ++i) {
    auto next = static_cast<std::uint32_t>(keys[i - 1]);
    if (i % 4 == 0) {
      next = substituted(std::rotl(next, 8)) ^ std::uint32_t{constant} << 24;
      constant = doubled(constant);
    }
    keys[i] = keys[i - 4] ^ next;
  }
  return keys;
}

}  // namespace

std::size_t longest_words(std::span<const Integer> list) {
  std::size_t words = 1;
  for (const Integer& x : list) words = std::max(words, limbs_of(x).size());
  return words;
}

ElementCache::ElementCache(const Arithmetic& arithmetic, std::size_t room)
    : arithmetic_(arithmetic),
      room_words_(room / sizeof(Word)),
      round_table_(arithmetic.device(), round_table()) {}

std::size_t ElementCache::at_once(const IntegerStream& stream) const {
  constexpr std::size_t kPieces = 4;  // of the room
  const std::size_t words_each = std::max<std::size_t>(stream.limbs(), 1);
  if (room_words_ / words_each >= stream.count()) return stream.count();
  return std::max<std::size_t>(room_words_ / kPieces / words_each, 1);
}

bool ElementCache::are_same(const Key& a, const Key& b) {
  return a.source == b.source && a.first == b.first && a.count == b.count && a.bits == b.bits;
}

template <class Entry, class IsMeant>
ElementsPtr ElementCache::find(std::list<Entry>& entries, const IsMeant& is_meant) {
  const std::lock_guard lock(guard_);
  const auto found = std::ranges::find_if(entries, is_meant);
  if (found == entries.end()) return nullptr;
  entries.splice(entries.begin(), entries, found);
  return found->elements;
}

void ElementCache::keep(const Key& key, const ElementsPtr& elements) {
  std::list<Kept> dropped;  // freed after the lock
  const std::lock_guard lock(guard_);
  kept_.push_front({key, elements});
  std::size_t words = 0;
  for (auto kept = kept_.begin(); kept != kept_.end();) {
    words += kept->elements->words.size();
    const auto next = std::next(kept);
    if (words > room_words_) dropped.splice(dropped.end(), kept_, kept);
    kept = next;
  }
}

ElementsPtr ElementCache::get(const IntegerStream& stream, std::size_t first, std::size_t count,
                              const Monitor& monitor) {
  monitor.throw_if_stopped();
  const auto source = stream.source();
  if (!source || source->generator != kAesCtrGenerator) {
    const std::size_t words_each = std::max<std::size_t>(stream.limbs(), 1);  // of zeros, too
    const auto reader = stream.reader();
    std::vector<Word> words(count * words_each);
    for (std::size_t i = 0; i < count; ++i) {
      monitor.throw_if_stopped();
      reader->read(first + i, 0, std::span(words).subspan(i * words_each, words_each));
    }
    return copied(std::move(words), words_each);
  }
  const Key key{*source, first, count, stream.bits()};
  const auto is_same = [&](const Kept& kept) { return are_same(kept.key, key); };
  if (ElementsPtr kept = find(kept_, is_same)) return kept;
  ElementsPtr elements = expanded(key);
  // A piece would be dropped for the next one before it is asked for again.
  if (count == stream.count()) keep(key, elements);
  return elements;
}

ElementsPtr ElementCache::expanded(const Key& key) const {
  auto elements = std::make_shared<Elements>();
  elements->count = key.count;
  elements->words_each = limbs_for_bits(key.bits);
  elements->words = arithmetic_.room(key.count * elements->words_each);
  const Buffer keys(arithmetic_.device(), round_keys(key.source.seed));
  const unsigned last_bits = key.bits % kWordBits;
  const ExpandStream::Item item{.table = round_table_.at(),
                                .round_keys = keys.at(),
                                .elements = elements->words.at(),
                                .count = key.count,
                                .words_each = elements->words_each,
                                .last_mask = last_bits == 0 ? ~Word{0} : (Word{1} << last_bits) - 1,
                                .purpose = key.source.purpose,
                                .first_index = key.source.first_index + key.first};
  launch<ExpandStream>(arithmetic_.device(), std::span(&item, 1),
                       blocks_for(key.count * ExpandStream::blocks_of(elements->words_each),
                                  ExpandStream::kThreads));
  return elements;
}

ElementsPtr ElementCache::get(std::span<const Integer> list) {
  const std::size_t words_each = longest_words(list);
  return copied(words_of<std::vector<Word>>(list, words_each), words_each);
}

ElementsPtr ElementCache::copied(std::vector<Word> words, std::size_t words_each) {
  constexpr std::size_t kMostLists = 8;
  constexpr std::size_t kMostWords = std::size_t{1} << 23;
  const auto is_same = [&](const KeptList& kept) {
    return kept.elements->words_each == words_each && kept.words == words;
  };
  if (ElementsPtr kept = find(kept_lists_, is_same)) return kept;
  auto elements = std::make_shared<Elements>();
  elements->words = Buffer(arithmetic_.device(), words);
  elements->count = words.size() / words_each;
  elements->words_each = words_each;
  if (words.size() > std::min(kMostWords, room_words_)) return elements;
  std::list<KeptList> dropped;  // freed after the lock
  const std::lock_guard lock(guard_);
  kept_lists_.push_front({std::move(words), elements});
  if (kept_lists_.size() > kMostLists) {
    dropped.splice(dropped.end(), kept_lists_, std::prev(kept_lists_.end()));
  }
  return elements;
}

}  // namespace fhe::gpu
