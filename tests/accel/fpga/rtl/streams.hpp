// SPDX-License-Identifier: Apache-2.0
// What stands around a simulated module: the other ends of its ready/valid streams, and memory
// behind its ports. In each clock every one of them first drives its inputs of the module, then,
// when the module's outputs have settled, looks at what moved.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include <verilated.h>

#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

template <class Port>
using WordOf = std::array<std::uint64_t, kPortLimbs<Port>>;
using WidePort = VlWide<16>;
using Word512 = WordOf<WidePort>;
inline constexpr std::size_t kWordBits = 512;
inline constexpr std::size_t kWordLimbs = 8;

// Without `stalls` every side takes part in every clock, with them in three of four.
inline bool takes_part(Words* stalls) {
  return stalls == nullptr || stalls->below(4) != 0;
}

// The lowest `count` words of x >= 0.
inline std::vector<Word512> words_of_integer(const mpz_class& x, std::size_t count) {
  const std::vector<std::uint64_t> limbs = limbs_of_integer(x, count * kWordLimbs);
  std::vector<Word512> words(count);
  for (std::size_t i = 0; i < limbs.size(); ++i) words[i / kWordLimbs][i % kWordLimbs] = limbs[i];
  return words;
}

inline mpz_class integer_of_words(const std::vector<Word512>& words) {
  std::vector<std::uint64_t> limbs;
  for (const Word512& word : words) limbs.insert(limbs.end(), word.begin(), word.end());
  return integer_of(limbs);
}

// Feeds a stream of the module. An offer stands until it is taken.
template <class Port>
class Source {
 public:
  using Word = WordOf<Port>;

  Source(CData& valid, const CData& ready, Port& data)
      : valid_(&valid), ready_(&ready), data_(&data) {
    valid = 0;
  }

  void put(const Word& word) { words_.push_back(word); }
  void put(const std::vector<Word>& words) {
    words_.insert(words_.end(), words.begin(), words.end());
  }
  void forget() { words_.clear(), offered_ = false; }

  [[nodiscard]] std::size_t left() const { return words_.size(); }

  void drive(Words* stalls) {
    offered_ = offered_ || (!words_.empty() && takes_part(stalls));
    *valid_ = offered_;
    Word nothing;
    nothing.fill(0x5a5aa5a5'12345678);
    set_limbs(*data_, offered_ ? words_.front() : nothing);
  }

  void look() {
    if (!offered_ || *ready_ == 0) return;
    words_.pop_front();
    offered_ = false;
  }

 private:
  CData* valid_;
  const CData* ready_;
  Port* data_;
  std::deque<Word> words_;
  bool offered_ = false;
};

// Takes a stream of the module, and sees to it that what was offered stays.
template <class Port>
class Sink {
 public:
  using Word = WordOf<Port>;

  Sink(const CData& valid, CData& ready, const Port& data)
      : valid_(&valid), ready_(&ready), data_(&data) {
    ready = 0;
  }

  [[nodiscard]] const std::vector<Word>& words() const { return words_; }
  void forget() { words_.clear(), held_.reset(); }

  void drive(Words* stalls) { *ready_ = takes_part(stalls); }

  void look() {
    if (held_) CHECK(*valid_ == 1);
    if (*valid_ == 0) return;
    Word word;
    for (std::size_t i = 0; i < word.size(); ++i) word[i] = limb(*data_, i);
    if (held_) CHECK(word == *held_);
    held_.reset();
    if (*ready_)
      words_.push_back(word);
    else
      held_ = word;
  }

 private:
  const CData* valid_;
  CData* ready_;
  const Port* data_;
  std::vector<Word> words_;
  std::optional<Word> held_;
};

template <class Port>
Source(CData&, const CData&, Port&) -> Source<Port>;
template <class Port>
Sink(const CData&, CData&, const Port&) -> Sink<Port>;

// What lies in memory: words that differ, until they are written.
class Memory {
 public:
  [[nodiscard]] Word512 at(std::uint64_t address) const {
    const auto written = words_.find(address);
    if (written != words_.end()) return written->second;
    Words words(address);
    Word512 word;
    for (std::uint64_t& limb : word) limb = words.random();
    return word;
  }

  void write(std::uint64_t address, const Word512& word) { words_[address] = word; }

 private:
  std::unordered_map<std::uint64_t, Word512> words_;
};

// Answers of memory, in the order of the requests: each `latency` clocks after its request, or with
// stalls up to four times as late.
class Answers {
 public:
  explicit Answers(std::uint64_t latency) : latency_(latency) {}

  [[nodiscard]] std::size_t under_way() const { return waiting_.size(); }

  void ask(std::uint64_t address, Words* stalls) {
    const std::uint64_t late = stalls == nullptr ? 0 : stalls->below(3 * latency_ + 1);
    waiting_.push_back({now_ + latency_ + late, address});
  }

  // The address that is answered in this clock; once a clock.
  std::optional<std::uint64_t> next() {
    ++now_;
    if (waiting_.empty() || waiting_.front().due > now_) return std::nullopt;
    const std::uint64_t address = waiting_.front().address;
    waiting_.pop_front();
    return address;
  }

 private:
  struct Waiting {
    std::uint64_t due, address;
  };
  std::uint64_t latency_;
  std::uint64_t now_ = 0;
  std::deque<Waiting> waiting_;
};

}  // namespace fhe::test
