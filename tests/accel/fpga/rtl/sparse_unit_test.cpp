// SPDX-License-Identifier: Apache-2.0
// old + x y with few one-bits in y, in words of memory, against GMP.
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "SparseUnit256.h"
#include "SparseUnit64.h"
#include "libfhe/arith/integer.hpp"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/accel/fpga/rtl/streams.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace {

using fhe::Integer;
using fhe::test::all_ones;
using fhe::test::integer_of_words;
using fhe::test::kWordBits;
using fhe::test::Operands;
using fhe::test::Simulation;
using fhe::test::Sink;
using fhe::test::Source;
using fhe::test::WidePort;
using fhe::test::Words;
using fhe::test::words_of_integer;

constexpr std::size_t kWeight = 15;
constexpr std::size_t kIndexLimit = 4096;

template <class Model>
constexpr std::size_t kWordBlocks = std::is_same_v<Model, SparseUnit64> ? 8 : 2;

struct Command {
  Integer x, old;
  std::vector<std::uint32_t> indices;
  std::size_t x_words = 1, result_words = 1;

  [[nodiscard]] Integer exact() const {
    Integer y;
    for (const std::uint32_t index : indices) y += Integer(1) << index;
    return old + x * y;
  }
};

// Operands that fill their words, and a result that holds all of the product.
Command command(Operands& operands, std::size_t weight, std::size_t x_words) {
  Command c;
  c.x_words = x_words;
  c.result_words = x_words + kIndexLimit / kWordBits + 1;
  c.x = operands.coin() ? all_ones(x_words * kWordBits) : operands.bits(x_words * kWordBits);
  c.old = operands.coin() ? operands.runs(c.result_words * kWordBits - 10) : Integer(0);
  for (std::size_t i = 0; i < weight; ++i) {
    c.indices.push_back(static_cast<std::uint32_t>(operands.between(0, kIndexLimit - 1)));
  }
  return c;
}

template <class Model>
class Unit {
 public:
  Unit() {
    model_->start = 0;
    model_.reset();
    CHECK(model_->busy == 0);
  }

  // The operands of one command, behind those that are already there.
  void put(const Command& command) {
    x_.put(words_of_integer(command.x, command.x_words));
    old_.put(words_of_integer(command.old, command.result_words));
  }

  // Clocks from that of start to that of done.
  std::size_t run(const Command& command, Words* stalls) {
    begin(command, stalls);
    std::size_t clocks = 1;
    for (; model_->done == 0; ++clocks) {
      if (clocks > 100000) FAIL("no end");
      CHECK(model_->busy == 1);
      model_->start = model_->ready == 0;  // not heard
      step(stalls);
    }
    model_->start = 0;
    CHECK(model_->busy == 0);
    REQUIRE(out_.words().size() == command.result_words);
    const std::size_t bits = command.result_words * kWordBits;
    CHECK(integer_of_words(out_.words()) == fhe::low_bits(command.exact(), bits));
    CHECK(model_->overflow == ((command.exact() >> bits) != 0));
    return clocks;
  }

  // Products of the same lengths, each started as soon as it is heard: clocks from the first start
  // to the last done.
  std::size_t stream(const std::vector<Command>& commands, Words* stalls) {
    out_.forget();
    std::size_t clocks = 0, started = 0, ended = 0;
    for (; ended < commands.size(); ++clocks) {
      if (clocks > 100000) FAIL("no end");
      const bool starts = started < commands.size() && model_->ready != 0;
      if (starts) command_for(commands[started++]);
      model_->start = starts;
      step(stalls);
      ended += model_->done;
      CHECK(model_->busy == (ended < commands.size()));
    }
    model_->start = 0;
    std::size_t first = 0;
    for (const Command& command : commands) {
      REQUIRE(out_.words().size() >= first + command.result_words);
      const auto begin = out_.words().begin() + static_cast<std::ptrdiff_t>(first);
      first += command.result_words;
      const std::vector<fhe::test::Word512> words(
          begin, out_.words().begin() + static_cast<std::ptrdiff_t>(first));
      CHECK(integer_of_words(words) == command.exact());
    }
    return clocks;
  }

  // A product that a reset ends after so many clocks.
  void abandon(const Command& command, std::size_t clocks, Words* stalls) {
    put(command);
    begin(command, stalls);
    for (std::size_t i = 1; i < clocks; ++i) step(stalls);
    CHECK(model_->busy == 1);
    x_.forget(), old_.forget();
    x_.drive(nullptr), old_.drive(nullptr);
    model_.reset();
    CHECK(model_->busy == 0);
    CHECK(model_->done == 0);
    CHECK(model_->out_valid == 0);
    out_.forget();
  }

 private:
  void begin(const Command& command, Words* stalls) {
    out_.forget();
    command_for(command);
    model_->start = 1;
    step(stalls);
    CHECK(model_->done == 0);
    // What the operands are later on does not matter.
    set_indices({});
    model_->weight = 9;
    model_->x_words = model_->result_words = 3;
    model_->start = 0;
  }

  void command_for(const Command& command) {
    set_indices(command.indices);
    model_->weight = static_cast<CData>(command.indices.size());
    model_->x_words = static_cast<IData>(command.x_words);
    model_->result_words = static_cast<IData>(command.result_words);
  }

  // Indices that are not used, and the bits that do not count, are ones.
  void set_indices(const std::vector<std::uint32_t>& indices) {
    std::vector<std::uint32_t> slots(kWeight + 1, 0xffff);
    for (std::size_t i = 0; i < indices.size(); ++i) slots[i] = 0xf000 | indices[i];
    for (std::size_t i = 0; i < kWeight / 2 + 1; ++i) {
      model_->indices[i] = slots[2 * i] | (2 * i + 1 < kWeight ? slots[2 * i + 1] << 16 : 0);
    }
  }

  void step(Words* stalls) {
    x_.drive(stalls);
    old_.drive(stalls);
    out_.drive(stalls);
    model_.settle();
    x_.look();
    old_.look();
    out_.look();
    model_.clock();
  }

  Simulation<Model> model_;
  Source<WidePort> x_{model_->x_valid, model_->x_ready, model_->x_data};
  Source<WidePort> old_{model_->old_valid, model_->old_ready, model_->old_data};
  Sink<WidePort> out_{model_->out_valid, model_->out_ready, model_->out_data};
};

}  // namespace

TEMPLATE_TEST_CASE("rtl sparse_unit: all weights, back to back, with and without stalls", "[rtl]",
                   SparseUnit64, SparseUnit256) {
  Operands operands(250);
  Words stalls(251);
  std::vector<Command> commands;
  for (std::size_t weight = 0; weight <= kWeight; ++weight) {
    commands.push_back(command(operands, weight, operands.between(1, 30)));
    commands.push_back(command(operands, kWeight - weight, 1));
  }
  for (Words* const will : {static_cast<Words*>(nullptr), &stalls}) {
    Unit<TestType> unit;
    for (const Command& c : commands) unit.put(c);  // a word too many would spoil the next
    for (const Command& c : commands) {
      INFO("weight " << c.indices.size() << ", " << c.x_words << " words");
      unit.run(c, will);
    }
  }
}

TEMPLATE_TEST_CASE("rtl sparse_unit: results of any length, and their overflow", "[rtl]",
                   SparseUnit64, SparseUnit256) {
  Operands operands(252);
  Unit<TestType> unit;
  // One bit too many, and one that just fits.
  for (const std::size_t words : {1U, 2U, 9U}) {
    const Integer ones = all_ones(words * kWordBits);
    for (const std::uint32_t old : {0U, 1U}) {
      const Command c{
          .x = ones, .old = old, .indices = {0}, .x_words = words, .result_words = words};
      unit.put(c);
      unit.run(c, nullptr);
    }
  }
  const Command zeros_above{.x = 5, .old = 0, .indices = {1, 9}, .x_words = 1, .result_words = 100};
  unit.put(zeros_above);
  unit.run(zeros_above, nullptr);
  const Command same_bit_often{.x = operands.bits(kWordBits - 4),
                               .old = 7,
                               .indices = std::vector<std::uint32_t>(kWeight, 0),
                               .x_words = 1,
                               .result_words = 1};
  unit.put(same_bit_often);
  unit.run(same_bit_often, nullptr);
}

TEMPLATE_TEST_CASE("rtl sparse_unit: a block a clock", "[rtl]", SparseUnit64, SparseUnit256) {
  Operands operands(253);
  Unit<TestType> unit;
  for (const std::size_t weight : {std::size_t{0}, std::size_t{4}, kWeight}) {
    for (const std::size_t x_words : {1U, 40U}) {
      const Command c = command(operands, weight, x_words);
      unit.put(c);
      CHECK(unit.run(c, nullptr) == weight + 30 + kWordBlocks<TestType> * c.result_words);
    }
  }
}

TEMPLATE_TEST_CASE("rtl sparse_unit: products follow each other without a gap", "[rtl]",
                   SparseUnit64, SparseUnit256) {
  Operands operands(257);
  Words stalls(258);
  for (const std::size_t x_words : {1U, 18U, 40U}) {
    for (Words* const will : {static_cast<Words*>(nullptr), &stalls}) {
      Unit<TestType> unit;
      std::vector<Command> commands;
      for (std::size_t i = 0; i < 12; ++i) {
        commands.push_back(command(operands, operands.between(0, kWeight), x_words));
        unit.put(commands.back());
      }
      commands.front().indices.resize(kWeight / 2);
      const std::size_t clocks = unit.stream(commands, will);
      const std::size_t blocks = kWordBlocks<TestType> * commands.front().result_words;
      INFO(x_words << " words");
      if (will == nullptr && blocks >= 54)
        CHECK(clocks == commands.front().indices.size() + 30 + blocks * commands.size());
    }
  }
}

TEST_CASE("rtl sparse_unit: the product of a Toy key, 647 clocks with blocks of 256", "[rtl]") {
  Operands operands(254);
  constexpr std::size_t kBits = 150000;
  Command c = command(operands, kWeight, (kBits + kWordBits - 1) / kWordBits);
  c.x = operands.exactly(kBits);
  c.result_words = (kBits + kIndexLimit + kWordBits - 1) / kWordBits;
  c.old = operands.bits(kBits);
  Unit<SparseUnit256> unit;
  unit.put(c);
  CHECK(unit.run(c, nullptr) == 647);
}

TEMPLATE_TEST_CASE("rtl sparse_unit: a reset ends a product in any of its phases", "[rtl]",
                   SparseUnit64, SparseUnit256) {
  Operands operands(255);
  Words stalls(256);
  Unit<TestType> unit;
  for (std::size_t clocks = 1; clocks < 60; ++clocks) {
    unit.abandon(command(operands, kWeight, 30), clocks, clocks % 4 == 1 ? &stalls : nullptr);
    // The second one comes while blocks of the abandoned one may still be in the units.
    const std::vector<Command> next = {command(operands, 1, 2), command(operands, kWeight, 2)};
    for (const Command& product : next) unit.put(product);
    unit.stream(next, nullptr);
  }
}
