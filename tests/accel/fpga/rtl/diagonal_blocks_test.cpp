// SPDX-License-Identifier: Apache-2.0
// The blocks of a product, diagonal by diagonal: those that there are by definition, in their
// order.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "DiagonalBlocks.h"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::test::Simulation;
using fhe::test::Words;

struct Shape {
  std::uint32_t step, a_words, b_words, destination_words, destination_from = 0;
};

struct Block {
  std::uint32_t a_at, a_count, b_at, b_count, at;
  bool first, last, ends;
  bool operator==(const Block&) const = default;
};

std::uint32_t blocks_in(std::uint32_t words, std::uint32_t step) {
  return std::max(1U, (words + step - 1) / step);
}

std::vector<Block> by_definition(const Shape& shape) {
  const std::uint32_t step = shape.step;
  const std::uint32_t a_blocks = blocks_in(shape.a_words, step);
  const std::uint32_t b_blocks = blocks_in(shape.b_words, step);
  const std::uint32_t diagonals =
      std::min(a_blocks + b_blocks - 1, blocks_in(shape.destination_words, step));
  std::vector<Block> blocks;
  for (std::uint32_t k = 0; k < diagonals; ++k) {
    if (k + 1 < diagonals && (k + 2) * step < shape.destination_from) continue;
    const std::uint32_t begin = k < b_blocks ? 0 : k - b_blocks + 1;
    const std::uint32_t end = std::min(k, a_blocks - 1);
    for (std::uint32_t i = begin; i <= end; ++i) {
      const std::uint32_t a_at = i * step, b_at = (k - i) * step;
      blocks.push_back({.a_at = a_at,
                        .a_count = std::min(step, shape.a_words - a_at),
                        .b_at = b_at,
                        .b_count = std::min(step, shape.b_words - b_at),
                        .at = k * step,
                        .first = i == begin,
                        .last = i == end,
                        .ends = i == end && k + 1 == diagonals});
    }
  }
  return blocks;
}

Block shown(Simulation<DiagonalBlocks>& model) {
  return {.a_at = model->a_at,
          .a_count = model->a_count,
          .b_at = model->b_at,
          .b_count = model->b_count,
          .at = model->at,
          .first = model->first != 0,
          .last = model->last != 0,
          .ends = model->ends != 0};
}

// One clock with `signal`, then those until a block is shown.
void signal_and_await(Simulation<DiagonalBlocks>& model, CData& signal, std::uint32_t most) {
  signal = 1;
  model.clock();
  signal = 0;
  std::uint32_t clocks = 1;
  for (; model->valid == 0; ++clocks) {
    if (clocks > most) FAIL("no block");
    model.clock();
  }
  CHECK(clocks % 3 == 0);
}

void check(Simulation<DiagonalBlocks>& model, const Shape& shape) {
  CAPTURE(shape.step, shape.a_words, shape.b_words, shape.destination_words,
          shape.destination_from);
  model->step = static_cast<SData>(shape.step);
  model->a_words = shape.a_words;
  model->b_words = shape.b_words;
  model->destination_words = shape.destination_words;
  model->destination_from = shape.destination_from;
  const std::vector<Block> expected = by_definition(shape);
  const std::uint32_t left_out = expected.front().at / shape.step;
  signal_and_await(model, model->start, 3 + 3 * left_out);
  for (const Block& block : expected) {
    CHECK(shown(model) == block);
    model.clocks(2);
    REQUIRE(model->valid == 1);
    if (!block.ends) signal_and_await(model, model->next, 3);
  }
  model->next = 1;
  model.clock();
  model->next = 0;
  model.clocks(4);
  CHECK(model->valid == 0);
}

}  // namespace

TEST_CASE("rtl diagonal_blocks: all small products, and what is left out of them", "[rtl]") {
  Simulation<DiagonalBlocks> model;
  model->start = model->next = 0;
  model.reset();
  for (std::uint32_t a = 0; a <= 10; ++a) {
    for (std::uint32_t b = 0; b <= 10; ++b) {
      for (const std::uint32_t d : {1U, 3U, 7U, a + b + 1, a + b + 9}) {
        for (const std::uint32_t from : {0U, 5U, 7U, d / 2, d})
          check(model, {3, a, b, d, std::min(from, d)});
      }
    }
  }
}

TEST_CASE("rtl diagonal_blocks: long products, and a reset in the middle", "[rtl]") {
  Simulation<DiagonalBlocks> model;
  model->start = model->next = 0;
  model.reset();
  Words words(511);
  for (int round = 0; round < 40; ++round) {
    const std::uint32_t step = 96U << words.below(5);
    const auto a = static_cast<std::uint32_t>(words.below(step * 20));
    const auto b = static_cast<std::uint32_t>(words.below(step * 20));
    const auto d = static_cast<std::uint32_t>(1 + words.below(a + b + 2 * step));
    check(model, {step, a, b, d, static_cast<std::uint32_t>(words.below(d + 1))});
    if (!words.coin()) continue;
    model->start = 1;
    model.clock();
    model->start = 0;
    model.clocks(static_cast<int>(words.below(5)));
    model.reset();
    model.clocks(4);
    CHECK(model->valid == 0);
  }
  check(model, {1536, 37'795, 37'794, 75'590, 37'796});
  check(model, {96, 0xff'ffff, 96, 500, 0});
}
