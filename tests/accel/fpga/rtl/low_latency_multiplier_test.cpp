// SPDX-License-Identifier: Apache-2.0
// The low-latency multiplier: products against GMP, and its clocks against table 4.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "LowLatency1024.h"
#include "LowLatency2048.h"
#include "LowLatency256.h"
#include "LowLatency4096.h"
#include "LowLatency512.h"
#include "LowLatency8192.h"
#include "libfhe/arith/integer.hpp"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace {

using fhe::bit_length;
using fhe::Integer;
using fhe::test::all_ones;
using fhe::test::Operands;
using fhe::test::Simulation;
using fhe::test::Words;

constexpr std::size_t kDigitBits = 28;
constexpr std::uint32_t kNothing = 0x5555555;  // on a port that is not valid

template <class Model>
constexpr std::size_t kLog2Points = 0;
template <>
constexpr std::size_t kLog2Points<LowLatency256> = 8;
template <>
constexpr std::size_t kLog2Points<LowLatency512> = 9;
template <>
constexpr std::size_t kLog2Points<LowLatency1024> = 10;
template <>
constexpr std::size_t kLog2Points<LowLatency2048> = 11;
template <>
constexpr std::size_t kLog2Points<LowLatency4096> = 12;
template <>
constexpr std::size_t kLog2Points<LowLatency8192> = 13;

// LHW paper, section 4.4, corrected: from the first digit to the last of the product.
constexpr std::size_t clocks(std::size_t log2_points, std::size_t x_blocks, std::size_t y_rows) {
  const std::size_t k = std::size_t{1} << log2_points;
  const std::size_t to_columns = k - 2 + 34 * (log2_points - 1) + 15;
  const std::size_t slots = y_rows * (1 + x_blocks / 2);
  const bool waits_for_left = x_blocks % 2 == 1 && x_blocks > 1;
  return to_columns + slots * k / 2 + (waits_for_left ? 3 * k / 4 : k / 2);
}

using Digits = std::vector<std::uint64_t>;

// The lowest `count` digits of `bits` bits of x >= 0.
Digits digits_of(const Integer& x, std::size_t bits, std::size_t count) {
  const std::vector<std::uint64_t> limbs = fhe::test::limbs_of_integer(x, count * bits / 64 + 2);
  Digits digits(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t place = i * bits;
    std::uint64_t digit = limbs[place / 64] >> place % 64;
    if (place % 64 != 0) digit |= limbs[place / 64 + 1] << (64 - place % 64);
    digits[i] = digit & ((std::uint64_t{1} << bits) - 1);
  }
  return digits;
}

Integer integer_of_digits(const Digits& digits, std::size_t bits) {
  Integer result;
  // the lowest bits of each element only
  mpz_import(result.get_mpz_t(), digits.size(), -1, sizeof(digits[0]), 0, 64 - bits, digits.data());
  return result;
}

// Which sides stall now and then. `in_row_order`: old digits come only when all of the row before
// have left.
struct Stalls {
  Words* words = nullptr;
  bool blocks = false, a = false, b = false, old = false, z = false;
  bool in_row_order = false;

  [[nodiscard]] bool now(bool side) const { return side && words->below(8) == 0; }
};

struct Run {
  Integer x, y;
  Stalls stalls = {};
};

struct Result {
  Integer product = 0;
  std::size_t x_blocks = 0, y_rows = 0;
  std::size_t clocks = 0;   // from the first in which a digit could enter to the last beat out
  std::size_t stalled = 0;  // of these: one side was waited for, seen at its port
};

// The digits of the blocks that were asked for.
class Feed {
 public:
  void ask(const std::uint64_t* digits, std::size_t count) { blocks_.push_back({digits, count}); }

  [[nodiscard]] bool empty() const { return blocks_.empty(); }
  [[nodiscard]] std::uint64_t front() const { return *blocks_.front().next; }

  void pop() {
    Block& block = blocks_.front();
    ++block.next;
    if (--block.left == 0) blocks_.pop_front();
  }

  void clear() { blocks_.clear(); }

 private:
  struct Block {
    const std::uint64_t* next;
    std::size_t left;
  };
  std::deque<Block> blocks_;
};

// The multiplier and the memory of its operands and its product.
template <class Model>
class Multiplier {
 public:
  static constexpr std::size_t kBlock = std::size_t{1} << (kLog2Points<Model> - 1);
  static constexpr std::size_t kRow = std::min<std::size_t>(kBlock, 384);

  Multiplier() {
    model_->start = 0;
    idle_ports();
    model_.reset();
  }

  Simulation<Model>& model() { return model_; }

  // `disturb` may set what must not be heard before each clock.
  Result multiply(
      const Run& run, const std::function<void(std::size_t)>& disturb = [](std::size_t) {}) {
    begin(run);
    Result result{.x_blocks = x_.size() / kBlock, .y_rows = y_.size() / kRow};
    const std::size_t enough = 20 * clocks(kLog2Points<Model>, result.x_blocks, result.y_rows);
    while (model_->busy) {
      ++result.clocks;
      if (result.clocks > enough) FAIL("no end");
      disturb(result.clocks);
      if (step(run)) ++result.stalled;
    }
    CHECK(model_->done == 1);
    CHECK(model_->cycles == result.clocks);
    CHECK(model_->z_valid == 0);
    CHECK(model_->a_block_valid == 0);
    CHECK(model_->b_block_valid == 0);
    CHECK(a_.empty());
    CHECK(b_.empty());
    CHECK(rows_ended_ == result.y_rows);
    CHECK(std::count(row_of_.begin(), row_of_.end(), 0) == 0);  // every beat was written
    idle_ports();
    result.product = integer_of_digits(z_, 2 * kDigitBits);
    return result;
  }

  // A product that a reset ends after so many clocks.
  void abandon(const Run& run, std::size_t clocks) {
    begin(run);
    for (std::size_t i = 0; i < clocks; ++i) step(run);
    CHECK(model_->busy == 1);
    idle_ports();
    model_.reset();
    CHECK(model_->busy == 0);
    CHECK(model_->z_valid == 0);
    CHECK(model_->a_ready == 0);
    CHECK(model_->b_ready == 0);
    CHECK(model_->old_ready == 0);
    CHECK(model_->a_block_valid == 0);
    CHECK(model_->b_block_valid == 0);
  }

 private:
  static std::size_t parts(const Integer& x, std::size_t digits) {
    return std::max<std::size_t>(1,
                                 (bit_length(x) + digits * kDigitBits - 1) / (digits * kDigitBits));
  }

  void idle_ports() {
    model_->a_block_ready = model_->b_block_ready = 0;
    model_->a_valid = model_->b_valid = model_->old_valid = 0;
    model_->z_ready = 0;
    a_.clear();
    b_.clear();
  }

  void begin(const Run& run) {
    const std::size_t x_blocks = parts(run.x, kBlock);
    const std::size_t y_rows = parts(run.y, kRow);
    x_ = digits_of(run.x, kDigitBits, x_blocks * kBlock);
    y_ = digits_of(run.y, kDigitBits, y_rows * kRow);
    const std::size_t row_beats = (x_blocks + 1) * kBlock / 2;
    const std::size_t beats = row_beats + (y_rows - 1) * kRow / 2;
    old_beats_ = row_beats - kRow / 2;
    z_.assign(beats, ~std::uint64_t{0});
    row_of_.assign(beats, 0);
    rows_ended_ = old_taken_ = 0;
    model_->x_blocks = static_cast<IData>(x_blocks);
    model_->y_rows = static_cast<IData>(y_rows);
    model_->start = 1;
    model_.clock();
    model_->start = 0;
  }

  // One clock; whether a side was waited for, which the ports show if no other one was.
  bool step(const Run& run) {
    const Stalls& stalls = run.stalls;
    model_->a_block_ready = !stalls.now(stalls.blocks);
    model_->b_block_ready = !stalls.now(stalls.blocks);
    model_->z_ready = !stalls.now(stalls.z);
    model_.settle();
    ask();
    model_->a_valid = !a_.empty() && !stalls.now(stalls.a);
    model_->a = model_->a_valid ? static_cast<IData>(a_.front()) : kNothing;
    model_->b_valid = !b_.empty() && !stalls.now(stalls.b);
    model_->b = model_->b_valid ? static_cast<IData>(b_.front()) : kNothing;
    model_->old_valid = old_written(stalls.in_row_order) && !stalls.now(stalls.old);
    model_->old = model_->old_valid ? z_[model_->old_address] : kNothing;
    model_.settle();
    const bool stalled =
        (model_->a_ready && !model_->a_valid) || (model_->b_ready && !model_->b_valid) ||
        (model_->old_ready && !model_->old_valid) || (model_->z_valid && !model_->z_ready);
    if (model_->a_valid && model_->a_ready) a_.pop();
    if (model_->b_valid && model_->b_ready) b_.pop();
    if (model_->old_valid && model_->old_ready) ++old_taken_;
    if (model_->z_valid && model_->z_ready) store();
    model_.clock();
    return stalled;
  }

  // Whether the old digits at the address of now are those of the row before.
  [[nodiscard]] bool old_written(bool in_row_order) {
    const std::size_t row = 1 + old_taken_ / old_beats_;
    const std::size_t place = model_->old_address;
    return in_row_order ? rows_ended_ >= row : place < z_.size() && row_of_[place] == row;
  }

  void ask() {
    if (model_->a_block_valid && model_->a_block_ready) {
      if (model_->a_block_of_y)
        a_.ask(y_.data() + model_->a_block * kRow, kRow);
      else
        a_.ask(x_.data() + model_->a_block * kBlock, kBlock);
    }
    if (model_->b_block_valid && model_->b_block_ready) {
      b_.ask(x_.data() + model_->b_block * kBlock, kBlock);
    }
  }

  void store() {
    const std::size_t place = model_->z_address;
    if (place >= z_.size()) FAIL("beat " << place << " is none of the product");
    z_[place] = model_->z;
    row_of_[place] = rows_ended_ + 1;
    rows_ended_ += model_->z_row_ends;
  }

  Simulation<Model> model_;
  Digits x_, y_, z_;
  std::vector<std::size_t> row_of_;  // that wrote a beat last, from 1
  Feed a_, b_;
  std::size_t old_beats_ = 0, rows_ended_ = 0, old_taken_ = 0;
};

struct Cell {
  std::string set;
  std::size_t x_bits, y_bits;
  std::vector<std::size_t> clocks;  // of 256, 512, .. points
};

// Digits that signed_digits turns into -2^27, 2^27, -2^27, ..: columns as far from 0 as any.
Integer furthest_columns(std::size_t bits) {
  Integer x;
  for (std::size_t place = 0; place < bits; place += 2 * kDigitBits) {
    x += Integer(0x7ffffff8000000) << place;
  }
  return fhe::low_bits(x, bits);
}

template <class Model>
void check_cell(const Cell& cell) {
  constexpr std::size_t kLog2 = kLog2Points<Model>;
  INFO(cell.set << ", " << (1 << kLog2) << " points");
  Operands operands(41);
  Multiplier<Model> multiplier;
  const Run run{.x = operands.exactly(cell.x_bits), .y = operands.exactly(cell.y_bits)};
  const Result result = multiplier.multiply(run);
  CHECK(result.product == run.x * run.y);
  CHECK(result.clocks == clocks(kLog2, result.x_blocks, result.y_rows));
  // The paper has one slot less in all for several rows; here each begins one of its own.
  const std::size_t printed = cell.clocks[kLog2 - 8];
  if (result.y_rows == 1)
    CHECK(result.clocks == printed);
  else
    CHECK(result.clocks == printed + Multiplier<Model>::kBlock);
}

using AllSizes = std::tuple<LowLatency256, LowLatency512, LowLatency1024, LowLatency2048,
                            LowLatency4096, LowLatency8192>;

}  // namespace

TEMPLATE_LIST_TEST_CASE("rtl low_latency_multiplier: table 4, Toy and Small", "[rtl]", AllSizes) {
  check_cell<TestType>({"Toy I", 150000, 936, {3451, 3997, 5183, 7521, 11651, 20901}});
  check_cell<TestType>({"Toy II", 150000, 1094, {3451, 3997, 5183, 7521, 11651, 20901}});
  check_cell<TestType>({"Small I", 830000, 1476, {15611, 16157, 17215, 19297, 23939, 33189}});
  check_cell<TestType>({"Small II", 830000, 2048, {15611, 16157, 17215, 19297, 23939, 33189}});
}

TEMPLATE_LIST_TEST_CASE("rtl low_latency_multiplier: table 4, Medium", "[rtl][long]", AllSizes) {
  check_cell<TestType>({"Medium I", 4200000, 2016, {75771, 76317, 77375, 79713, 84355, 92581}});
  check_cell<TestType>({"Medium II", 4200000, 4126, {150779, 76317, 77375, 79713, 84355, 92581}});
}

TEMPLATE_LIST_TEST_CASE("rtl low_latency_multiplier: table 4, Large", "[rtl][long]", AllSizes) {
  check_cell<TestType>(
      {"Large I", 19350000, 2556, {346299, 346909, 347967, 350049, 354691, 362917}});
  check_cell<TestType>(
      {"Large II", 19350000, 10251, {1037371, 692509, 347967, 350049, 354691, 362917}});
}

TEMPLATE_TEST_CASE("rtl low_latency_multiplier: all numbers of blocks and rows", "[rtl]",
                   LowLatency256, LowLatency1024) {
  constexpr std::size_t kBlockBits = Multiplier<TestType>::kBlock * kDigitBits;
  constexpr std::size_t kRowBits = Multiplier<TestType>::kRow * kDigitBits;
  Operands operands(42);
  Multiplier<TestType> multiplier;
  for (std::size_t x_blocks = 1; x_blocks <= 6; ++x_blocks) {
    for (std::size_t y_rows = 1; y_rows <= 4; ++y_rows) {
      INFO(x_blocks << " blocks, " << y_rows << " rows");
      const Run run{
          .x = operands.exactly((x_blocks - 1) * kBlockBits + operands.between(1, kBlockBits)),
          .y = operands.exactly((y_rows - 1) * kRowBits + operands.between(1, kRowBits))};
      const Result result = multiplier.multiply(run);
      REQUIRE(result.x_blocks == x_blocks);
      REQUIRE(result.y_rows == y_rows);
      CHECK(result.product == run.x * run.y);
      CHECK(result.clocks == clocks(kLog2Points<TestType>, x_blocks, y_rows));
      CHECK(result.stalled == 0);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("rtl low_latency_multiplier: columns as long as any", "[rtl]", AllSizes) {
  constexpr std::size_t kBlockBits = Multiplier<TestType>::kBlock * kDigitBits;
  constexpr std::size_t kRowBits = Multiplier<TestType>::kRow * kDigitBits;
  Multiplier<TestType> multiplier;
  const Integer x = furthest_columns(kBlockBits);
  for (const Integer& y : {furthest_columns(kRowBits),
                           Integer(furthest_columns(kRowBits) << kDigitBits), all_ones(kRowBits)}) {
    CHECK(multiplier.multiply({.x = x, .y = y}).product == x * y);
  }
}

TEMPLATE_TEST_CASE("rtl low_latency_multiplier: awkward operands", "[rtl]", LowLatency256,
                   LowLatency512, LowLatency1024) {
  constexpr std::size_t kBlockBits = Multiplier<TestType>::kBlock * kDigitBits;
  constexpr std::size_t kRowBits = Multiplier<TestType>::kRow * kDigitBits;
  Operands operands(43);
  Multiplier<TestType> multiplier;
  const std::vector<Integer> xs = {0,
                                   1,
                                   Integer(1) << (2 * kBlockBits - 1),
                                   Integer(1) << (2 * kBlockBits),
                                   all_ones(kBlockBits),
                                   all_ones(3 * kBlockBits),
                                   furthest_columns(2 * kBlockBits),
                                   operands.runs(2 * kBlockBits + 5)};
  const std::vector<Integer> ys = {0,
                                   1,
                                   Integer(1) << (kRowBits - 1),
                                   all_ones(kRowBits),
                                   all_ones(2 * kRowBits),
                                   furthest_columns(kRowBits),
                                   furthest_columns(kRowBits) << kDigitBits,
                                   operands.runs(kRowBits)};
  for (const Integer& x : xs) {
    for (const Integer& y : ys) {
      INFO(bit_length(x) << " by " << bit_length(y) << " bits");
      CHECK(multiplier.multiply({.x = x, .y = y}).product == x * y);
    }
  }
}

TEST_CASE("rtl low_latency_multiplier: single bits", "[rtl]") {
  Operands operands(44);
  Multiplier<LowLatency256> multiplier;
  for (int trial = 0; trial < 60; ++trial) {
    const Integer x = Integer(1) << operands.between(0, 20000);
    const Integer y = Integer(1) << operands.between(0, 8000);
    CHECK(multiplier.multiply({.x = x, .y = y}).product == x * y);
  }
}

TEMPLATE_TEST_CASE("rtl low_latency_multiplier: every side stalls", "[rtl]", LowLatency256,
                   LowLatency1024) {
  constexpr std::size_t kBlockBits = Multiplier<TestType>::kBlock * kDigitBits;
  Operands operands(45);
  Words words(46);
  Multiplier<TestType> multiplier;
  for (std::size_t x_blocks = 1; x_blocks <= 5; ++x_blocks) {
    INFO(x_blocks << " blocks");
    const Run run{.x = operands.exactly(x_blocks * kBlockBits),
                  .y = operands.exactly(2 * kBlockBits),
                  .stalls = {.words = &words,
                             .blocks = true,
                             .a = true,
                             .b = true,
                             .old = true,
                             .z = true,
                             .in_row_order = true}};
    CHECK(multiplier.multiply(run).product == run.x * run.y);
  }
}

TEST_CASE("rtl low_latency_multiplier: a clock for each that a side is waited for", "[rtl]") {
  Operands operands(47);
  Words words(48);
  Multiplier<LowLatency256> multiplier;
  const Stalls sides[] = {{.words = &words, .a = true},
                          {.words = &words, .b = true},
                          {.words = &words, .old = true},
                          {.words = &words, .z = true},
                          {.words = &words, .in_row_order = true}};
  for (const Stalls& stalls : sides) {
    const Run run{.x = operands.exactly(17000), .y = operands.exactly(9000), .stalls = stalls};
    const Result result = multiplier.multiply(run);
    CHECK(result.product == run.x * run.y);
    CHECK(result.clocks == clocks(8, result.x_blocks, result.y_rows) + result.stalled);
    CHECK(result.stalled > 0);
  }
}

TEMPLATE_TEST_CASE("rtl low_latency_multiplier: a reset ends a product", "[rtl]", LowLatency256,
                   LowLatency2048) {
  constexpr std::size_t kBlockBits = Multiplier<TestType>::kBlock * kDigitBits;
  constexpr std::size_t kBlock = Multiplier<TestType>::kBlock;
  Operands operands(49);
  Multiplier<TestType> multiplier;
  const Run first{.x = all_ones(3 * kBlockBits), .y = all_ones(2 * kBlockBits)};
  const std::size_t all = clocks(kLog2Points<TestType>, 3, 2 * kBlock / Multiplier<TestType>::kRow);
  for (const std::size_t clocks :
       {std::size_t{0}, std::size_t{1}, kBlock, all / 2, all - kBlock, all - 3, all - 1}) {
    INFO("after " << clocks << " clocks of " << all);
    multiplier.abandon(first, clocks);
    const Run second{.x = operands.bits(kBlockBits), .y = operands.bits(kBlockBits / 2)};
    CHECK(multiplier.multiply(second).product == second.x * second.y);
  }
}

TEST_CASE("rtl low_latency_multiplier: a start while it is busy is not heard", "[rtl]") {
  Multiplier<LowLatency256> multiplier;
  const Run run{.x = all_ones(8000), .y = all_ones(3000)};
  const Result result = multiplier.multiply(run, [&](std::size_t clock) {
    multiplier.model()->start = clock % 7 == 3;
    multiplier.model()->x_blocks = multiplier.model()->y_rows = 1;
  });
  CHECK(result.product == run.x * run.y);
  CHECK(result.clocks == clocks(8, 3, 1));
  multiplier.model()->start = 0;
  multiplier.model().clock();
  CHECK(multiplier.model()->done == 0);  // one clock only
}
