// SPDX-License-Identifier: Apache-2.0
// The low-Hamming-weight multiplier: products and accumulations against GMP, and its clocks: the
// twelve cells of LHW paper, table 6.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "LhwMultiplier128.h"
#include "LhwMultiplier256.h"
#include "LhwMultiplier64.h"
#include "libfhe/arith/integer.hpp"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace {

using fhe::Integer;
using fhe::test::all_ones;
using fhe::test::integer_of;
using fhe::test::limb;
using fhe::test::limbs_of_integer;
using fhe::test::Operands;
using fhe::test::set_limbs;
using fhe::test::Simulation;
using fhe::test::Words;
using Indices = std::vector<std::uint32_t>;
using Limbs = std::vector<std::uint64_t>;

constexpr std::size_t kWeight = 15;
constexpr std::size_t kIndexBits = 12;
constexpr std::size_t kPipeline = 12 + kWeight;

// What lies on a port that is not valid.
constexpr std::array<std::uint64_t, 4> kNothing = {0x0123456789abcdef, 0xfedcba9876543210,
                                                   0x5555555555555555, 0xaaaaaaaaaaaaaaaa};

template <class Model>
constexpr std::size_t kBlockLimbs = std::is_same_v<Model, LhwMultiplier64>    ? 1
                                    : std::is_same_v<Model, LhwMultiplier128> ? 2
                                                                              : 4;

struct Run {
  Integer x;
  Indices y;                     // indices of the one-bits
  const Integer* old = nullptr;  // z += x y if there is one
  std::size_t result_bits = 0;
  Words* stalls = nullptr;  // all sides stall at its will
};

struct Result {
  Integer z;
  std::uint32_t clocks = 0;  // from the first after start to the last block of z
  bool overflow = false;
};

Integer value_of(const Indices& y) {
  Integer result;
  for (const std::uint32_t index : y) result += Integer(1) << index;
  return result;
}

template <class Model>
class Multiplier {
 public:
  static constexpr std::size_t kLimbs = kBlockLimbs<Model>;
  static constexpr std::size_t kBits = 64 * kLimbs;

  Multiplier() {
    model_->index_write = model_->start = model_->x_valid = model_->old_valid = 0;
    model_->z_ready = 1;
    model_.reset();
  }

  Simulation<Model>& model() { return model_; }

  Result multiply(const Run& run) {
    begin(run);
    Result result;
    while (z_.size() < z_blocks_ * kLimbs) {
      ++result.clocks;
      if (result.clocks > 100 * (kPipeline + z_blocks_)) FAIL("no end");
      step(run);
    }
    CHECK(model_->done == 1);
    CHECK(model_->busy == 0);
    CHECK(model_->z_valid == 0);
    CHECK(model_->cycles == result.clocks);
    CHECK(x_taken_ == std::min(x_blocks_, z_blocks_));
    CHECK(old_taken_ == (run.old == nullptr ? 0 : z_blocks_));
    result.z = integer_of(z_);
    result.overflow = model_->overflow != 0;
    return result;
  }

  // A product that a reset ends after so many clocks.
  void abandon(const Run& run, std::size_t clocks) {
    begin(run);
    for (std::size_t i = 0; i < clocks; ++i) step(run);
    CHECK(model_->busy == 1);
    model_->x_valid = model_->old_valid = 0;
    model_.reset();
    CHECK(model_->busy == 0);
    CHECK(model_->z_valid == 0);
  }

 private:
  void begin(const Run& run) {
    model_->index_write = 1;
    for (std::size_t i = 0; i < run.y.size(); ++i) {
      model_->index_slot = static_cast<CData>(i);
      model_->index = static_cast<SData>(run.y[i]);
      model_.clock();
    }
    model_->index_write = 0;
    x_blocks_ = std::max<std::size_t>(1, (fhe::bit_length(run.x) + kBits - 1) / kBits);
    z_blocks_ = (run.result_bits + kBits - 1) / kBits;
    x_ = limbs_of_integer(run.x, x_blocks_ * kLimbs);
    old_ = limbs_of_integer(run.old == nullptr ? Integer(0) : *run.old, z_blocks_ * kLimbs);
    z_.clear();
    x_taken_ = old_taken_ = 0;
    model_->weight = static_cast<CData>(run.y.size());
    model_->accumulate = run.old != nullptr;
    model_->x_blocks = static_cast<IData>(x_blocks_);
    model_->z_blocks = static_cast<IData>(z_blocks_);
    model_->start = 1;
    model_.clock();
    model_->start = 0;
  }

  void step(const Run& run) {
    const auto wants = [&] { return run.stalls == nullptr || run.stalls->below(4) != 0; };
    model_->x_valid = x_taken_ < x_blocks_ && wants();
    set_limbs(model_->x, model_->x_valid ? x_.data() + x_taken_ * kLimbs : kNothing.data());
    model_->old_valid = run.old != nullptr && old_taken_ < z_blocks_ && wants();
    set_limbs(model_->old, model_->old_valid ? old_.data() + old_taken_ * kLimbs : kNothing.data());
    model_->z_ready = wants();
    model_.settle();
    x_taken_ += model_->x_valid && model_->x_ready;
    old_taken_ += model_->old_valid && model_->old_ready;
    if (model_->z_valid && model_->z_ready) {
      for (std::size_t i = 0; i < kLimbs; ++i) z_.push_back(limb(model_->z, i));
    }
    model_.clock();
  }

  Simulation<Model> model_;
  Limbs x_, old_, z_;
  std::size_t x_blocks_ = 0, z_blocks_ = 0, x_taken_ = 0, old_taken_ = 0;
};

// `count` different indices below `bits`, sorted, the highest of them bits - 1.
Indices indices(Operands& operands, std::size_t count, std::size_t bits) {
  Indices result = {static_cast<std::uint32_t>(bits - 1)};
  while (result.size() < count) {
    const auto index = static_cast<std::uint32_t>(operands.between(0, bits - 1));
    if (std::find(result.begin(), result.end(), index) == result.end()) result.push_back(index);
  }
  std::sort(result.begin(), result.end());
  return result;
}

// Where blocks and the range of the indices begin and end.
std::vector<Indices> awkward_indices(Operands& operands, std::uint32_t block_bits) {
  constexpr std::uint32_t kLast = (1U << kIndexBits) - 1;
  std::vector<Indices> result = {{},
                                 {0},
                                 {kLast},
                                 {0, kLast},
                                 {block_bits - 1, block_bits, block_bits + 1},
                                 {kLast - block_bits, kLast - block_bits + 1, kLast},
                                 {7, 7, 7}};  // added three times
  Indices neighbours(kWeight);
  for (std::uint32_t i = 0; i < kWeight; ++i) neighbours[i] = kLast - i;
  result.push_back(neighbours);
  for (int i = 0; i < 6; ++i) result.push_back(indices(operands, kWeight, 1U << kIndexBits));
  return result;
}

struct Cell {
  std::string set;
  std::size_t x_bits, y_bits;
  std::uint32_t clocks64, clocks128, clocks256;
};

const std::vector<Cell>& table6() {
  static const std::vector<Cell> cells = {{"Toy", 150000, 936, 2386, 1207, 617},
                                          {"Small", 830000, 1476, 13019, 6523, 3275},
                                          {"Medium", 4200000, 2016, 65684, 32856, 16442},
                                          {"Large", 19350000, 2556, 302411, 151219, 75623}};
  return cells;
}

}  // namespace

TEMPLATE_TEST_CASE("rtl lhw_multiplier: the latencies of table 6", "[rtl]", LhwMultiplier64,
                   LhwMultiplier128, LhwMultiplier256) {
  Operands operands(27);
  Multiplier<TestType> multiplier;
  for (const Cell& cell : table6()) {
    INFO(cell.set);
    const Run run{.x = operands.exactly(cell.x_bits),
                  .y = indices(operands, kWeight, cell.y_bits),
                  .result_bits = cell.x_bits + cell.y_bits};
    const Result result = multiplier.multiply(run);
    CHECK(result.z == run.x * value_of(run.y));
    CHECK_FALSE(result.overflow);
    constexpr std::size_t kLimbs = kBlockLimbs<TestType>;
    CHECK(result.clocks == (kLimbs == 1   ? cell.clocks64
                            : kLimbs == 2 ? cell.clocks128
                                          : cell.clocks256));
  }
}

TEMPLATE_TEST_CASE("rtl lhw_multiplier: products and accumulations of every kind", "[rtl]",
                   LhwMultiplier64, LhwMultiplier128, LhwMultiplier256) {
  constexpr std::size_t kBits = Multiplier<TestType>::kBits;
  Operands operands(28);
  Words stalls(29);
  Multiplier<TestType> multiplier;
  for (const Indices& y : awkward_indices(operands, kBits)) {
    for (int kind = 0; kind < 6; ++kind) {
      const std::size_t bits = operands.between(1, 9000);
      const Integer x = kind == 0   ? all_ones(bits)
                        : kind == 1 ? Integer(1) << (bits - 1)
                        : kind == 2 ? Integer(0)
                        : kind == 3 ? operands.runs(bits)
                                    : operands.bits(bits);
      const std::size_t result_bits = bits + (1U << kIndexBits) + 4;
      const Integer old =
          kind % 2 == 0 ? all_ones(result_bits - 1) : operands.runs(result_bits - 1);
      const bool accumulate = operands.coin();
      const Run run{.x = x,
                    .y = y,
                    .old = accumulate ? &old : nullptr,
                    .result_bits = result_bits,
                    .stalls = operands.coin() ? &stalls : nullptr};
      const Result result = multiplier.multiply(run);
      INFO("kind " << kind << ", " << bits << " bits, " << y.size() << " indices");
      CHECK(result.z == x * value_of(y) + (accumulate ? old : Integer(0)));
      CHECK_FALSE(result.overflow);
      if (run.stalls == nullptr) {
        CHECK(result.clocks == kPipeline + (result_bits + kBits - 1) / kBits);
      }
    }
  }
}

TEMPLATE_TEST_CASE("rtl lhw_multiplier: a carry out of the last block is told", "[rtl]",
                   LhwMultiplier64, LhwMultiplier128, LhwMultiplier256) {
  constexpr std::size_t kBits = Multiplier<TestType>::kBits;
  Multiplier<TestType> multiplier;
  const Integer old = all_ones(3 * kBits);
  Run run{.x = 1, .y = {0}, .old = &old, .result_bits = 3 * kBits};
  const Result over = multiplier.multiply(run);
  CHECK(over.z == 0);
  CHECK(over.overflow);
  run.old = nullptr;
  const Result next = multiplier.multiply(run);
  CHECK(next.z == 1);
  CHECK_FALSE(next.overflow);
}

TEMPLATE_TEST_CASE("rtl lhw_multiplier: a reset ends a product", "[rtl]", LhwMultiplier64,
                   LhwMultiplier128, LhwMultiplier256) {
  constexpr std::size_t kBits = 20000;
  Operands operands(30);
  Multiplier<TestType> multiplier;
  const Integer old = all_ones(kBits);
  const Run first{.x = all_ones(kBits),
                  .y = indices(operands, kWeight, 4096),
                  .old = &old,
                  .result_bits = kBits + 4100};
  for (const std::size_t clocks : {1U, 13U, 40U, 80U}) multiplier.abandon(first, clocks);
  const Run second{.x = operands.bits(kBits),
                   .y = indices(operands, kWeight, 4096),
                   .result_bits = kBits + 4100};
  CHECK(multiplier.multiply(second).z == second.x * value_of(second.y));
}

TEMPLATE_TEST_CASE("rtl lhw_multiplier: what comes while it is busy is not heard", "[rtl]",
                   LhwMultiplier64, LhwMultiplier128, LhwMultiplier256) {
  Multiplier<TestType> multiplier;
  multiplier.abandon({.x = 5, .y = {3, 9}, .result_bits = 4096}, 0);
  auto& model = multiplier.model();
  model->weight = 2;
  model->x_blocks = model->z_blocks = 1;
  model->start = 1;
  model.clock();
  model->index_write = 1;  // with a second start
  model->index_slot = 1;
  model->index = 0;
  model->z_blocks = 7;
  model.clock();
  model->index_write = model->start = 0;
  model->x_valid = 1;
  set_limbs(model->x, Limbs{5, 0, 0, 0});
  int clocks = 0;
  for (; !model->z_valid && clocks < 100; ++clocks) model.clock();
  CHECK(limb(model->z, 0) == (5 << 3) + (5 << 9));
  model.clock();
  CHECK(model->done == 1);
}
