// The low-latency multiplier: products against GMP, and its clocks against table 4.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "LowLatency1024.h"
#include "LowLatency2048.h"
#include "LowLatency256.h"
#include "LowLatency4096.h"
#include "LowLatency512.h"
#include "LowLatency8192.h"
#include "libfhe/arith/integer.hpp"
#include "tests/accel/fpga/golden.hpp"
#include "tests/accel/fpga/simulation.hpp"
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
  const std::vector<std::uint64_t> limbs =
      fhe::test::limbs_of_integer(x, count * bits / 64 + 2);
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

struct Run {
  Integer x, y;
  Words* stalls = nullptr;  // all ports stall at its will, and `old` waits for the end of a row
};

struct Result {
  Integer product = 0;
  std::size_t x_blocks = 0, y_rows = 0;
  std::size_t clocks = 0;  // from the first in which a digit could enter to the last beat out
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

  Result multiply(const Run& run) {
    begin(run);
    Result result{.x_blocks = x_.size() / kBlock, .y_rows = y_.size() / kRow};
    const std::size_t enough = 20 * clocks(kLog2Points<Model>, result.x_blocks, result.y_rows);
    while (model_->busy) {
      ++result.clocks;
      if (result.clocks > enough) FAIL("no end");
      step(run);
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
    return std::max<std::size_t>(1, (bit_length(x) + digits * kDigitBits - 1) /
                                        (digits * kDigitBits));
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

  void step(const Run& run) {
    const auto wants = [&] { return run.stalls == nullptr || run.stalls->below(8) != 0; };
    const std::size_t old_row = 1 + old_taken_ / old_beats_;
    model_->a_block_ready = wants();
    model_->b_block_ready = wants();
    model_->z_ready = wants();
    model_.settle();
    ask();
    model_->a_valid = !a_.empty() && wants();
    model_->a = static_cast<IData>(model_->a_valid ? a_.front() : 0x5555555);
    model_->b_valid = !b_.empty() && wants();
    model_->b = static_cast<IData>(model_->b_valid ? b_.front() : 0x5555555);
    const std::size_t place = model_->old_address;
    const bool written = run.stalls != nullptr
                             ? rows_ended_ >= old_row
                             : place < z_.size() && row_of_[place] == old_row;
    model_->old_valid = written && wants();
    model_->old = model_->old_valid ? z_[place] : 0x55555555555555;
    model_.settle();
    if (model_->a_valid && model_->a_ready) a_.pop();
    if (model_->b_valid && model_->b_ready) b_.pop();
    if (model_->old_valid && model_->old_ready) ++old_taken_;
    if (model_->z_valid && model_->z_ready) store();
    model_.clock();
  }

  void ask() {
    if (model_->a_block_valid && model_->a_block_ready) {
      if (model_->a_block_of_y) a_.ask(y_.data() + model_->a_block * kRow, kRow);
      else a_.ask(x_.data() + model_->a_block * kBlock, kBlock);
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
  // The row of blocks that follows another one begins a slot of its own.
  const std::size_t printed = cell.clocks[kLog2 - 8];
  if (result.y_rows == 1) CHECK(result.clocks == printed);
  else CHECK(result.clocks == printed + Multiplier<Model>::kBlock);
}

}  // namespace

#define ALL_SIZES \
  LowLatency256, LowLatency512, LowLatency1024, LowLatency2048, LowLatency4096, LowLatency8192

TEMPLATE_TEST_CASE("rtl low_latency_multiplier: table 4, Toy and Small", "[rtl]", ALL_SIZES) {
  check_cell<TestType>({"Toy I", 150000, 936, {3451, 3997, 5183, 7521, 11651, 20901}});
  check_cell<TestType>({"Toy II", 150000, 1094, {3451, 3997, 5183, 7521, 11651, 20901}});
  check_cell<TestType>({"Small I", 830000, 1476, {15611, 16157, 17215, 19297, 23939, 33189}});
  check_cell<TestType>({"Small II", 830000, 2048, {15611, 16157, 17215, 19297, 23939, 33189}});
}
