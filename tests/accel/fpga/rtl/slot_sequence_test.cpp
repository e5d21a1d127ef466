// SPDX-License-Identifier: Apache-2.0
// The order of slots, blocks and rows, against plain loops.
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <vector>

#include "BlockRequestsA.h"
#include "BlockRequestsB.h"
#include "SlotSequence.h"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/accel/fpga/rtl/slots.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::test::Simulation;
using fhe::test::slot_clocks;
using fhe::test::SlotClock;
using fhe::test::Words;

constexpr std::size_t kSlotLength = 8;

template <class Model>
void start(Simulation<Model>& model, std::size_t x_blocks, std::size_t y_rows) {
  model->x_blocks = static_cast<IData>(x_blocks);
  model->y_rows = static_cast<IData>(y_rows);
  model->start = 1;
  model.clock();
  model->start = 0;
}

SlotClock now(Simulation<SlotSequence>& sequence) {
  return {sequence->running != 0, sequence->index, sequence->first != 0, sequence->odd_slot != 0,
          sequence->b_used != 0};
}

// One clock in which it advances, after some in which it does not.
void advance(Simulation<SlotSequence>& sequence, Words& words) {
  sequence->advance = 0;
  while (words.below(4) == 0) sequence.clock();
  sequence->advance = 1;
  sequence.clock();
}

using Block = std::tuple<bool, std::size_t>;  // of y, number

std::vector<Block> blocks(bool port_a, std::size_t x_blocks, std::size_t y_rows) {
  std::vector<Block> result;
  for (std::size_t row = 0; row < y_rows; ++row) {
    if (port_a) result.emplace_back(true, row);
    for (std::size_t block = port_a ? 1 : 0; block < x_blocks; block += 2) {
      result.emplace_back(false, block);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("rtl slot_sequence: every slot of every row, after its delay", "[rtl]") {
  Simulation<SlotSequence> sequence;
  Words words(60);
  sequence.reset();
  CHECK(now(sequence).running == false);
  for (std::size_t x_blocks = 1; x_blocks <= 7; ++x_blocks) {
    for (std::size_t y_rows = 1; y_rows <= 3; ++y_rows) {
      for (const std::size_t delay : {0U, 1U, 13U}) {
        INFO(x_blocks << " blocks, " << y_rows << " rows, delay " << delay);
        sequence->delay = static_cast<SData>(delay);
        sequence->advance = words.coin();
        start(sequence, x_blocks, y_rows);
        for (std::size_t i = 0; i < delay; ++i) {
          CHECK(now(sequence).running == false);
          CHECK(now(sequence).b_used == false);
          advance(sequence, words);
        }
        for (const SlotClock& expected : slot_clocks(kSlotLength, x_blocks, y_rows)) {
          REQUIRE(now(sequence) == expected);
          advance(sequence, words);
        }
        // what still flows is counted on
        for (std::size_t i = 0; i < 2 * kSlotLength; ++i) {
          CHECK(now(sequence).running == false);
          CHECK(now(sequence).b_used == false);
          CHECK(now(sequence).index == i % kSlotLength);
          advance(sequence, words);
        }
      }
    }
  }
}

TEST_CASE("rtl slot_sequence: a reset ends it, waiting or running", "[rtl]") {
  Simulation<SlotSequence> sequence;
  Words words(61);
  for (const std::size_t clocks : {1U, 3U, 9U}) {
    sequence->delay = 5;
    start(sequence, 4, 2);
    for (std::size_t i = 0; i < clocks; ++i) advance(sequence, words);
    sequence.reset();
    for (int i = 0; i < 20; ++i) {
      CHECK(now(sequence).running == false);
      advance(sequence, words);
    }
  }
}

TEMPLATE_TEST_CASE("rtl block_requests: every block of every row", "[rtl]", BlockRequestsA,
                   BlockRequestsB) {
  constexpr bool kPortA = std::is_same_v<TestType, BlockRequestsA>;
  Simulation<TestType> requests;
  Words words(62);
  requests.reset();
  CHECK(requests->valid == 0);
  for (std::size_t x_blocks = 1; x_blocks <= 7; ++x_blocks) {
    for (std::size_t y_rows = 1; y_rows <= 3; ++y_rows) {
      INFO(x_blocks << " blocks, " << y_rows << " rows");
      requests->ready = words.coin();
      start(requests, x_blocks, y_rows);
      for (const Block& expected : blocks(kPortA, x_blocks, y_rows)) {
        requests->ready = 0;
        while (words.coin()) requests.clock();
        requests->ready = 1;
        REQUIRE(requests->valid == 1);
        CHECK(Block(requests->of_y != 0, requests->block) == expected);
        requests.clock();
      }
      CHECK(requests->valid == 0);
    }
  }
}
