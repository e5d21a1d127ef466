// SPDX-License-Identifier: Apache-2.0
// The words of a port against integers that are read and written in any order, behind a memory that
// is late.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "WordPort224.h"
#include "WordPort28.h"
#include "libfhe/arith/integer.hpp"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/modular.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/accel/fpga/rtl/streams.hpp"
#include "tests/accel/fpga/rtl/super_size.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

namespace {

constexpr std::size_t kNumbers = 3;  // operands

// A word of an operand.
struct Spot {
  std::size_t number = 0, word = 0;
  bool operator==(const Spot&) const = default;
};

// With three operands of some lines each. `stalls`: memory and machine take part as they like.
template <class Model, std::size_t kBits>
class Port {
 public:
  Port(std::uint64_t seed, Words* stalls) : words_(seed), stalls_(stalls) {
    for (std::size_t i = 0; i < kNumbers; ++i) {
      lines_[i] = 1 + words_.below(40);
      for (std::size_t line = 0; line < lines_[i]; ++line)
        truth_[i] += random_bits(kWordBits) << kWordBits * line;
    }
    memory_ = truth_;
    model_->read = model_->write = model_->forget = model_->flush = model_->advance = 0;
    model_->fill = model_->store_ready = model_->fetch_ready = 0;
    model_.reset();
  }

  // Words are read and written, mostly one after the other, for so many clocks that count.
  void run(int clocks, bool writes) {
    Spot reads_at = any(), writes_at = any();
    for (int i = 0; i < clocks; ++i) {
      reads_at = words_.below(12) == 0 ? any() : next(reads_at);
      writes_at = words_.below(12) == 0 ? any() : next(writes_at);
      const bool writing = writes && words_.coin() && writes_at != reads_at;
      access(words_.below(4) != 0 ? std::optional(reads_at) : std::nullopt,
             writing ? std::optional(writes_at) : std::nullopt);
    }
    model_->read = model_->write = 0;
  }

  // All that was written goes to memory.
  void flush() {
    model_->flush = 1;
    model_.settle();
    while (!model_->clean) clock();
    model_->flush = 0;
    while (!stores_.empty()) clock();
    CHECK(memory_ == truth_);
  }

  // Lines that are on their way still come.
  void forget() {
    model_->forget = 1;
    clock();
    model_->forget = 0;
    lose_lines();
  }

  // Lines that are on their way do not come, and what was given to memory is written.
  void reset() {
    model_->fill = 0;
    model_.reset();
    fetches_.clear();
    lose_lines();
  }

 private:
  struct Fetch {
    std::uint64_t due;
    std::uint32_t line;
    unsigned slot;
  };
  struct Store {
    std::uint64_t due;
    std::uint32_t line;
    Integer value;
  };

  Integer random_bits(std::size_t bits) {
    std::vector<std::uint64_t> limbs(bits / 64 + 1);
    for (std::uint64_t& limb : limbs) limb = words_.random();
    return low_bits(integer_of(limbs), bits);
  }

  // At times beyond the last line.
  Spot any() {
    const std::size_t number = words_.below(kNumbers);
    return {number, words_.below(lines_[number] * kWordBits / kBits + 4)};
  }
  Spot next(const Spot& spot) const {
    const bool ends = spot.word > lines_[spot.number] * kWordBits / kBits + 3;
    return {spot.number, ends ? 0 : spot.word + 1};
  }

  static std::uint32_t port_address(const Spot& spot) {
    return static_cast<std::uint32_t>(spot.number << 28 | spot.word);
  }

  void access(const std::optional<Spot>& reads, const std::optional<Spot>& writes) {
    const Spot read = reads.value_or(Spot{}), write = writes.value_or(Spot{});
    const std::size_t at = write.word * kBits, room = lines_[write.number] * kWordBits;
    const Integer value = words_.below(4) == 0 ? Integer(0) : random_bits(kBits);
    model_->read = reads.has_value();
    model_->read_at = port_address(read);
    model_->read_lines = static_cast<IData>(lines_[read.number]);
    model_->write = writes.has_value();
    model_->write_at = port_address(write);
    model_->write_lines = static_cast<IData>(lines_[write.number]);
    set_integer(model_->write_word, value);
    int waits = 0;
    do {
      if (++waits > 2000) FAIL("a word does not come");
      counts_ = true;
      clock();
    } while (!counted_);
    counts_ = false;
    if (reads) word_ = low_bits(truth_[read.number] >> read.word * kBits, kBits);
    if (writes) {
      const Integer kept = low_bits(truth_[write.number], at);
      const Integer above = truth_[write.number] >> at + kBits << at + kBits;
      const Integer whole = kept + (value << at) + above;
      truth_[write.number] = low_bits(whole, room);
      CHECK(spilled_ == (whole >> room != 0));
    } else {
      CHECK_FALSE(spilled_);
    }
    check_word();
  }

  // A word stands until the next is read.
  void check_word() {
    if (word_) CHECK(get_integer(model_->word) == *word_);
  }

  void clock() {
    ++now_;
    while (!stores_.empty() && stores_.front().due <= now_) {
      write_memory(stores_.front());
      stores_.pop_front();
    }
    filling_ = !fetches_.empty() && (filling_ || fetches_.front().due <= now_);
    model_->fill = filling_;
    if (filling_) {
      const Fetch& fetch = fetches_.front();
      model_->fill_slot = static_cast<CData>(fetch.slot);
      set_limbs(model_->fill_data, limbs_of_integer(line_of(memory_, fetch.line), kWordLimbs));
    }
    model_->store_ready = takes_part(stalls_);
    model_->advance = 0;
    model_.settle();
    const bool is_unwritten =
        std::ranges::any_of(stores_, [&](const Store& s) { return s.line == model_->fetch_line; });
    model_->fetch_ready = !is_unwritten && takes_part(stalls_);
    model_->advance = counts_ && model_->served && takes_part(stalls_);
    model_.settle();
    counted_ = model_->advance;
    spilled_ = model_->spilled;
    if (filling_ && model_->fill_ready) {
      fetches_.pop_front();
      filling_ = false;
    }
    if (model_->fetch_valid && model_->fetch_ready) take_fetch();
    if (model_->store_valid && model_->store_ready) take_store();
    model_.clock();
    if (!counted_) check_word();
  }

  // Memory answers in order.
  std::uint64_t some_due() { return now_ + 10 + (stalls_ == nullptr ? 0 : stalls_->below(40)); }

  void take_fetch() {
    const std::uint32_t line = model_->fetch_line;
    REQUIRE(line % kOperand < lines_.at(line / kOperand));
    fetches_.push_back({some_due(), line, model_->fetch_slot});
  }

  void take_store() {
    const std::uint32_t line = model_->store_line;
    REQUIRE(line % kOperand < lines_.at(line / kOperand));
    std::array<std::uint64_t, kWordLimbs> limbs;
    for (std::size_t i = 0; i < limbs.size(); ++i) limbs[i] = limb(model_->store_data, i);
    stores_.push_back({some_due(), line, integer_of(limbs)});
  }

  using Values = std::array<Integer, kNumbers>;

  static Integer line_of(const Values& values, std::uint32_t line) {
    return low_bits(values.at(line / kOperand) >> kWordBits * (line % kOperand), kWordBits);
  }

  void write_memory(const Store& store) {
    Integer& number = memory_.at(store.line / kOperand);
    const std::size_t at = kWordBits * (store.line % kOperand);
    number += (store.value - line_of(memory_, store.line)) << at;
  }

  // What was written and is not in memory is lost.
  void lose_lines() {
    while (!stores_.empty()) {
      write_memory(stores_.front());
      stores_.pop_front();
    }
    truth_ = memory_;
  }

  static constexpr std::uint32_t kOperand = 1U << 27;  // lines from one operand to the next

  Words words_;
  Words* stalls_;
  std::array<std::size_t, kNumbers> lines_{};
  Values truth_, memory_;
  Simulation<Model> model_;
  std::deque<Fetch> fetches_;
  std::deque<Store> stores_;
  std::optional<Integer> word_;
  std::uint64_t now_ = 0;
  bool filling_ = false;
  bool counts_ = false;   // the machine goes on once all is served
  bool counted_ = false;  // it did
  bool spilled_ = false;
};

template <class Model, std::size_t kBits>
void check_port() {
  Words stalls(511);
  for (const std::uint64_t seed : {501U, 502U, 503U, 504U}) {
    Port<Model, kBits> port(seed, seed % 2 == 0 ? &stalls : nullptr);
    for (int round = 0; round < 3; ++round) {
      port.run(400, true);
      port.flush();
      port.forget();
      for (int read = 0; read < 5; ++read) {  // lines of the last operand still come
        port.run(20, false);
        port.forget();
      }
      port.run(50, true);
      if (round % 2 == 0) port.reset();
      port.run(100, true);
      port.flush();
    }
  }
}

}  // namespace

TEST_CASE("rtl word_port: words of 28 bits", "[rtl]") {
  check_port<WordPort28, 28>();
}

TEST_CASE("rtl word_port: words of 224 bits", "[rtl]") {
  check_port<WordPort224, 224>();
}

}  // namespace fhe::test
