// SPDX-License-Identifier: Apache-2.0
// The parts of a transform in four steps: transforms of columns by their definition, factors,
// batches turned.
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "ColumnFactors.h"
#include "ColumnTransform.h"
#include "CornerTurn.h"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/accel/fpga/rtl/streams.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::test::add_mod;
using fhe::test::kModulus;
using fhe::test::Lanes;
using fhe::test::limb;
using fhe::test::multiply_mod;
using fhe::test::power_mod;
using fhe::test::set_limbs;
using fhe::test::Simulation;
using fhe::test::Sink;
using fhe::test::Source;
using fhe::test::Word512;
using fhe::test::Words;

constexpr std::size_t kRows = 64;
constexpr std::size_t kColumns = 16;
constexpr std::size_t kRowWords = 32;  // of a batch of columns, in a row
constexpr std::uint64_t kTransformClocks = 155;

// Of sixteen columns, by row.
using Chunk = std::array<Lanes, kRows>;

Chunk random_chunk(Words& words) {
  Chunk chunk;
  for (Lanes& row : chunk) {
    for (std::uint64_t& point : row) point = words.residue();
  }
  return chunk;
}

// X(t) = sum of x(n) 2^(3 n t).
Chunk transformed(const Chunk& chunk) {
  std::array<std::uint64_t, kRows> powers;
  for (std::size_t i = 0; i < kRows; ++i) powers[i] = power_mod(2, 3 * i);
  Chunk result{};
  for (std::size_t t = 0; t < kRows; ++t) {
    for (std::size_t n = 0; n < kRows; ++n) {
      for (std::size_t column = 0; column < kColumns; ++column) {
        const std::uint64_t term = multiply_mod(chunk[n][column], powers[n * t % kRows]);
        result[t][column] = add_mod(result[t][column], term);
      }
    }
  }
  return result;
}

class Columns {
 public:
  Columns() {
    model_->in_valid = 0;
    model_.reset();
  }

  // The transforms, each `gap` clocks after the one before it. Every beat is looked for when it is
  // due, and no other comes.
  void check(const std::vector<Chunk>& chunks, std::uint64_t gap) {
    for (const Chunk& chunk : chunks) {
      give(chunk);
      for (std::uint64_t i = 0; i < gap; ++i) clock();
    }
    for (std::uint64_t i = 0; i < 2 * kTransformClocks; ++i) clock();
    CHECK(due_.empty());
  }

  void abandon(const Chunk& chunk, std::uint64_t clocks) {
    give(chunk);
    for (std::uint64_t i = 0; i < clocks; ++i) model_.clock();
    due_.clear();
    model_.reset();
  }

 private:
  struct Due {
    std::uint64_t clock;
    std::size_t tag;
    Lanes points;
  };

  void give(const Chunk& chunk) {
    const Chunk result = transformed(chunk);
    const std::size_t mark = ++chunks_ % 512 * kRows;
    for (std::size_t t = 0; t < kRows; ++t) {
      model_->in_valid = 1;
      model_->in_tag = static_cast<SData>(mark + t);
      set_limbs(model_->points, chunk[16 * (t % 4) + t / 4]);
      due_.push_back({now_ + kTransformClocks, mark + t, result[t]});
      clock();
    }
    model_->in_valid = 0;
  }

  void clock() {
    model_.settle();  // its clock_gate looks at in_valid before the edge
    model_.clock();
    ++now_;
    const bool due = !due_.empty() && due_.front().clock == now_;
    if (model_->out_valid != due) FAIL("a beat in clock " << now_);
    if (!due) return;
    if (model_->tag_next != due_.front().tag) FAIL("tag " << due_.front().tag);
    for (std::size_t i = 0; i < kColumns; ++i) {
      if (limb(model_->points_next, i) != due_.front().points[i])
        FAIL("tag " << due_.front().tag << ", column " << i);
    }
    due_.pop_front();
  }

  Simulation<ColumnTransform> model_;
  std::deque<Due> due_;
  std::uint64_t now_ = 0;
  std::size_t chunks_ = 0;
};

// W of order 2^21, of which kRoot is a power.
constexpr std::uint64_t kLongRoot = 0xcf0539a54fa35a55;

// Word `i` of a sweep, eight points, times its factors.
Word512 times_factors(const Word512& word, std::size_t i, std::uint64_t size, bool inverse) {
  const std::uint64_t row = i / kRowWords % kRows;
  const std::uint64_t column = 256 * (i / kRowWords / kRows) + 8 * (i % kRowWords);
  const std::uint64_t root = power_mod(kLongRoot, std::uint64_t{1} << (3 - size));
  const std::uint64_t scale = inverse ? power_mod(kRows, kModulus - 2) : 1;
  Word512 result{};
  for (std::uint64_t lane = 0; lane < result.size(); ++lane) {
    std::uint64_t factor = power_mod(root, row * (column + lane));
    if (inverse) factor = power_mod(factor, kModulus - 2);
    result[lane] = multiply_mod(word[lane], multiply_mod(factor, scale));
  }
  return result;
}

class Factors {
 public:
  Factors() {
    model_->start = 0;
    source_.drive(nullptr);
    sink_.drive(nullptr);
    model_.reset();
  }

  // The words times their factors, each when the two sides let it through.
  void check(std::uint64_t size, bool inverse, const std::vector<Word512>& words, Words* stalls) {
    INFO("size " << size << (inverse ? ", inverse" : ""));
    start(size, inverse);
    source_.put(words);
    while (sink_.words().size() < words.size()) {
      source_.drive(stalls);
      sink_.drive(stalls);
      model_.settle();
      source_.look();
      sink_.look();
      model_.clock();
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (sink_.words()[i] != times_factors(words[i], i, size, inverse)) FAIL("word " << i);
    }
  }

 private:
  void start(std::uint64_t size, bool inverse) {
    sink_.forget();
    model_->size = static_cast<CData>(size);
    model_->inverse = inverse;
    model_->start = 1;
    model_.clock();
    model_->start = 0;
  }

  Simulation<ColumnFactors> model_;
  Source<fhe::test::WidePort> source_{model_->in_valid, model_->in_ready, model_->in_data};
  Sink<fhe::test::WidePort> sink_{model_->out_valid, model_->out_ready, model_->out_data};
};

std::vector<Word512> random_points(std::size_t count, Words& words) {
  std::vector<Word512> points(count);
  for (Word512& word : points) {
    for (std::uint64_t& point : word) point = words.residue();
  }
  return points;
}

constexpr std::size_t kBatch = 1024;

// Word `i` of those that come to corner_turn: no two have a limb in common.
Lanes numbered(std::uint64_t i) {
  Lanes word;
  for (std::size_t lane = 0; lane < word.size(); ++lane)
    word[lane] = (i * word.size() + lane) * 0x9e37'79b9'7f4a'7c15;
  return word;
}

// The order in which a test wants a batch to leave: five bits of the number change places with the
// others.
std::size_t turned(std::size_t index) {
  return index % 32 * 32 + index / 32;
}

}  // namespace

TEST_CASE("rtl column_transform: columns by definition, with and without pauses", "[rtl]") {
  Words words(400);
  Columns columns;
  columns.check({random_chunk(words), random_chunk(words), random_chunk(words)}, 0);
  columns.check({random_chunk(words), random_chunk(words)}, 1);
  columns.check({random_chunk(words), random_chunk(words)}, 400);
  Chunk ones;
  for (Lanes& row : ones) row.fill(kModulus - 1);
  columns.check({ones, Chunk{}, ones}, 64);
}

TEST_CASE("rtl column_transform: a reset forgets what is inside", "[rtl]") {
  Words words(401);
  Columns columns;
  for (const std::uint64_t clocks : {0U, 1U, 90U, 91U, 120U}) {
    columns.abandon(random_chunk(words), clocks);
    columns.check({random_chunk(words)}, 0);
  }
}

TEST_CASE("rtl column_factors: the root is one of those of the rows", "[rtl]") {
  CHECK(power_mod(kLongRoot, 32) == fhe::test::kRoot);
}

TEST_CASE("rtl column_factors: points of two batches, of every length, both ways", "[rtl]") {
  Words words(402), stalls(403);
  Factors factors;
  for (const std::uint64_t size : {0U, 3U, 1U, 2U}) {
    for (const bool inverse : {false, true}) {
      const std::vector<Word512> points = random_points(2 * kRows * kRowWords, words);
      factors.check(size, inverse, points, inverse ? &stalls : nullptr);
    }
  }
}

TEST_CASE("rtl corner_turn: batches leave whole, in the order of their places", "[rtl]") {
  Words stalls(406);
  Simulation<CornerTurn> model;
  Source source(model->in_valid, model->in_ready, model->in_data);
  Sink sink(model->out_valid, model->out_ready, model->out_data);
  source.drive(nullptr);
  sink.drive(nullptr);
  model->place = 0;
  model.reset();
  constexpr std::size_t kBatches = 4;
  for (std::uint64_t i = 0; i < kBatches * kBatch; ++i) source.put(numbered(i));
  std::size_t freed = 0;
  for (std::uint64_t clock = 0; sink.words().size() < kBatches * kBatch; ++clock) {
    if (clock > 100'000) FAIL("no end");
    Words* const who = clock < 7000 ? &stalls : nullptr;
    source.drive(who);
    sink.drive(who);
    model->place = static_cast<SData>(turned(model->index));
    model.settle();
    if (model->out_valid) CHECK(model->out_index == sink.words().size() % kBatch);
    freed += model->frees;
    source.look();
    sink.look();
    model.clock();
  }
  CHECK(freed == kBatches);
  for (std::size_t i = 0; i < kBatches * kBatch; ++i) {
    if (sink.words()[i] != numbered(i / kBatch * kBatch + turned(i % kBatch))) FAIL("word " << i);
  }
}
