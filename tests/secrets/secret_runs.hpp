// SPDX-License-Identifier: Apache-2.0
// Finding pieces of secrets in memory.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "libfhe/arith/integer.hpp"

namespace fhe::test {

// The pieces of secrets that would hardly be found anywhere else by chance.
class SecretRuns {
 public:
  // Two limbs that follow each other in |x|, in it shifted by any number of bits, or in the
  // negative of these; their bytes in memory are those of a file.
  void add_integer(const std::string& name, const Integer& x) {
    for (unsigned shift = 0; shift < 8; ++shift) {
      const Integer shifted = x << shift;
      std::vector<Limb> limbs(limbs_of(shifted).begin(), limbs_of(shifted).end());
      add<Limb>(name, limbs, 2);
      for (Limb& limb : limbs) limb = ~limb;
      add<Limb>(name, limbs, 2);
    }
  }

  // As many words that follow each other in a list.
  template <class Word>
  void add(const std::string& name, std::span<const Word> words, std::size_t run) {
    const std::size_t number = name_number(name);
    for (std::size_t i = 0; i + run <= words.size(); ++i) {
      const auto bytes = std::as_bytes(words.subspan(i, run));
      Run piece{number, {bytes.begin(), bytes.end()}};
      const std::uint64_t start = word_at(piece.bytes.data());
      filter_->set(filter_bit(start));
      runs_.emplace(start, std::move(piece));
    }
  }

  // Forgets what is a piece of `x` too, which is public.
  void remove_integer(const Integer& x) {
    SecretRuns others;
    others.add_integer("", x);
    std::erase_if(runs_, [&](const auto& run) {
      const auto [first, last] = others.runs_.equal_range(run.first);
      return std::any_of(first, last,
                         [&](const auto& other) { return other.second.bytes == run.second.bytes; });
    });
  }

  // Calls found(name, offset) for each place in `memory` where a run begins.
  template <class Found>
  void find_in(std::span<const std::byte> memory, const Found& found) const {
    for (std::size_t i = 0; i + sizeof(std::uint64_t) <= memory.size(); ++i) {
      if (i % kPage == 0 && is_zero(memory.subspan(i))) {
        i += kPage - 1;
        continue;
      }
      const std::uint64_t start = word_at(&memory[i]);
      if (filter_->test(filter_bit(start))) look_up(start, memory, i, found);
    }
  }

  // The longest run in bytes.
  static constexpr std::size_t kLongest = 64;

 private:
  struct Run {
    std::size_t name;
    std::vector<std::byte> bytes;
  };

  static constexpr unsigned kFilterBits = 22;
  static constexpr std::size_t kPage = 4096;

  // Whether neither a page nor a run that begins in it holds anything: most memory is like that.
  static bool is_zero(std::span<const std::byte> memory) {
    const std::size_t bytes = std::min(memory.size(), kPage + kLongest);
    return memory[0] == std::byte{0} && std::memcmp(&memory[0], &memory[1], bytes - 1) == 0;
  }

  template <class Found>
  void look_up(std::uint64_t start, std::span<const std::byte> memory, std::size_t offset,
               const Found& found) const {
    const auto [first, last] = runs_.equal_range(start);
    for (auto run = first; run != last; ++run) {
      const std::vector<std::byte>& bytes = run->second.bytes;
      if (bytes.size() > memory.size() - offset) continue;
      if (std::ranges::equal(bytes, memory.subspan(offset, bytes.size()))) {
        found(names_[run->second.name], offset);
      }
    }
  }

  static std::uint64_t word_at(const std::byte* bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof(word));
    return word;
  }

  static std::size_t filter_bit(std::uint64_t word) {
    return (word * 0x9E3779B97F4A7C15U) >> (64 - kFilterBits);
  }

  std::size_t name_number(const std::string& name) {
    const auto known = std::ranges::find(names_, name);
    if (known != names_.end()) return static_cast<std::size_t>(known - names_.begin());
    names_.push_back(name);
    return names_.size() - 1;
  }

  std::vector<std::string> names_;
  std::unordered_multimap<std::uint64_t, Run> runs_;
  // Whether a run may begin with a word: most words of a memory are told by it.
  std::unique_ptr<std::bitset<std::size_t{1} << kFilterBits>> filter_ =
      std::make_unique<std::bitset<std::size_t{1} << kFilterBits>>();
};

}  // namespace fhe::test
