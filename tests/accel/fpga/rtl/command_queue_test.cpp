// SPDX-License-Identifier: Apache-2.0
// Descriptors in their order, sequence numbers, refusals and the room that is told.
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "CommandQueue.h"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::test::limb;
using fhe::test::Simulation;
using fhe::test::Words;

constexpr std::uint32_t kDepth = 16;
using Window = std::array<std::uint32_t, 16>;

struct Given {
  std::uint32_t sequence;
  Window words;
};

// What the queue must hold.
struct Reference {
  Window window{};
  std::deque<Given> waiting;
  std::uint32_t next = 0;
  std::uint32_t space = kDepth;
  std::uint32_t running = 0;  // taken by the sequencer, completions not taken
  bool refused = false;
};

Window words_of(const VlWide<16>& port) {
  Window words{};
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = port[i];
  return words;
}

class Bench {
 public:
  Bench() {
    queue_->word_write = queue_->doorbell = queue_->restart = 0;
    queue_->completion_taken = queue_->command_ready = 0;
    queue_.reset();
    for (std::uint32_t i = 0; i < 16; ++i) write(i, i);
  }

  void write(std::uint32_t index, std::uint32_t word) {
    queue_->word_write = 1;
    queue_->word_index = static_cast<CData>(index);
    queue_->word = word;
    reference_.window[index] = word;
    queue_.clock();
    reference_.refused = false;
    queue_->word_write = 0;
  }

  // One clock: the doorbell with this number, or none; and what the other sides do.
  struct Turn {
    bool doorbell = false;
    std::uint32_t sequence = 0;
    bool restart = false, take_command = false, take_completion = false;
  };
  void clock(const Turn& turn) {
    const bool takes_completion = turn.take_completion && reference_.running > 0;
    queue_->doorbell = turn.doorbell;
    queue_->doorbell_sequence = turn.sequence;
    queue_->restart = turn.restart;
    queue_->command_ready = turn.take_command;
    queue_->completion_taken = takes_completion;
    queue_.settle();
    check();
    follow(turn, takes_completion);
    queue_.clock();
    queue_->doorbell = queue_->restart = queue_->command_ready = queue_->completion_taken = 0;
    queue_.settle();
    check();
  }

  [[nodiscard]] const Reference& reference() const { return reference_; }

 private:
  void follow(const Turn& turn, bool takes_completion) {
    const bool given = turn.doorbell && turn.sequence == reference_.next && reference_.space > 0;
    reference_.refused = turn.doorbell && !given;
    if (turn.take_command && !reference_.waiting.empty()) {
      reference_.waiting.pop_front();
      ++reference_.running;
    }
    if (given) {
      reference_.waiting.push_back({reference_.next++, reference_.window});
      --reference_.space;
    }
    if (turn.restart) reference_.next = 0;
    if (takes_completion) {
      --reference_.running;
      ++reference_.space;
    }
  }

  void check() {
    CHECK(queue_->space == reference_.space);
    CHECK((queue_->refused != 0) == reference_.refused);
    REQUIRE((queue_->command_valid != 0) == !reference_.waiting.empty());
    if (reference_.waiting.empty()) return;
    CHECK(queue_->command_sequence == reference_.waiting.front().sequence);
    CHECK(words_of(queue_->command) == reference_.waiting.front().words);
  }

  Simulation<CommandQueue> queue_;
  Reference reference_;
};

}  // namespace

TEST_CASE("rtl command_queue: sixteen descriptors have room until completions are taken", "[rtl]") {
  Bench bench;
  for (std::uint32_t i = 0; i < kDepth; ++i) {
    bench.write(i, 1000 + i);
    bench.clock({.doorbell = true, .sequence = i});
  }
  CHECK(bench.reference().space == 0);
  bench.clock({.doorbell = true, .sequence = kDepth});
  CHECK(bench.reference().refused);
  for (std::uint32_t i = 0; i < kDepth; ++i) bench.clock({.take_command = true});
  bench.clock({.doorbell = true, .sequence = kDepth});
  CHECK(bench.reference().refused);  // completions that wait keep their room
  bench.clock({.take_completion = true});
  bench.clock({.doorbell = true, .sequence = kDepth});
  CHECK_FALSE(bench.reference().refused);
  CHECK(bench.reference().space == 0);
}

TEST_CASE("rtl command_queue: random users on all sides", "[rtl]") {
  Bench bench;
  Words words(311);
  int refusals = 0, fills = 0;
  for (int turn = 0; turn < 20'000; ++turn) {
    if (words.coin())
      bench.write(static_cast<std::uint32_t>(words.below(16)),
                  static_cast<std::uint32_t>(words.random()));
    const bool busy_driver = turn / 100 % 2 == 0;
    const std::uint32_t off = words.below(8) == 0 ? 1 : 0;
    bench.clock({.doorbell = words.below(busy_driver ? 2 : 20) == 0,
                 .sequence = bench.reference().next + off,
                 .restart = words.below(200) == 0,
                 .take_command = words.below(3) == 0,
                 .take_completion = words.below(4) == 0});
    refusals += bench.reference().refused ? 1 : 0;
    fills += bench.reference().space == 0 ? 1 : 0;
  }
  CHECK(refusals > 100);
  CHECK(fills > 100);
}
