// SPDX-License-Identifier: Apache-2.0
// Products, added to integers, against GMP.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "ProductUnit.h"
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

constexpr std::size_t kProductWords = 3072;
constexpr std::size_t kHalfWords = kProductWords / 2;
constexpr std::size_t kProductBits = kProductWords * kWordBits;
constexpr std::size_t kHalfBits = kHalfWords * kWordBits;
constexpr std::size_t kDigitBits = 24;

// The upper part of a b, from digit 65,536 on, as the sum of its columns: it wraps to the lower
// one.
Integer wrapped(const Integer& a, const Integer& b) {
  Integer result;
  for (std::size_t bit = 0; bit < fhe::bit_length(b); bit += kDigitBits) {
    const Integer digit = fhe::low_bits(b >> bit, kDigitBits);
    result += digit * (a >> (kProductBits - bit));
  }
  return result;
}

struct Command {
  std::string kind;
  Integer a, b, old;
  bool full_load = false;
  std::size_t result_words = kProductWords;

  [[nodiscard]] std::size_t operand_words() const { return full_load ? kProductWords : kHalfWords; }

  // What is above digit 65,536 of the cyclic product is lost.
  [[nodiscard]] Integer exact() const {
    const Integer cyclic = a * b + (full_load ? wrapped(a, b) : Integer(0));
    return old + fhe::low_bits(cyclic, std::min(result_words, kProductWords) * kWordBits);
  }
};

class Unit {
 public:
  Unit() {
    model_->start = 0;
    model_.reset();
    CHECK(model_->busy == 0);
  }

  // The operands of one command, behind those that are already there.
  void put(const Command& command) {
    a_.put(words_of_integer(command.a, command.operand_words()));
    b_.put(words_of_integer(command.b, command.operand_words()));
    old_.put(words_of_integer(command.old, command.result_words));
  }

  // Clocks from that of start to that of done.
  std::size_t run(const Command& command, Words* stalls = nullptr) {
    INFO(command.kind);
    begin(command, stalls);
    std::size_t clocks = 1;
    for (; model_->done == 0; ++clocks) {
      if (clocks > 200000) FAIL("no end");
      model_->start = out_.words().size() < command.result_words;  // not heard while busy
      step(stalls);
    }
    CHECK(model_->busy == 0);
    const Integer exact = command.exact();
    const std::size_t bits = command.result_words * kWordBits;
    REQUIRE(out_.words().size() == command.result_words);
    CHECK(integer_of_words(out_.words()) == fhe::low_bits(exact, bits));
    CHECK(model_->carry_out == ((exact >> bits) != 0));
    return clocks;
  }

  // A product that a reset ends after so many clocks.
  void abandon(const Command& command, std::size_t clocks) {
    put(command);
    begin(command, nullptr);
    for (std::size_t i = 1; i < clocks; ++i) step(nullptr);
    CHECK(model_->busy == 1);
    for (Source<WidePort>* const source : {&a_, &b_, &old_}) {
      source->forget();
      source->drive(nullptr);
    }
    model_.reset();
    CHECK(model_->busy == 0);
    CHECK(model_->done == 0);
    CHECK(model_->out_valid == 0);
    out_.forget();
  }

 private:
  void begin(const Command& command, Words* stalls) {
    out_.forget();
    model_->start = 1;
    model_->full_load = command.full_load;
    model_->result_words = static_cast<IData>(command.result_words);
    step(stalls);
    CHECK(model_->done == 0);
    // What the modes are later on does not matter.
    model_->full_load = !command.full_load;
    model_->result_words = 5;
    model_->start = 0;
  }

  void step(Words* stalls) {
    a_.drive(stalls);
    b_.drive(stalls);
    old_.drive(stalls);
    out_.drive(stalls);
    model_.settle();
    a_.look();
    b_.look();
    old_.look();
    out_.look();
    model_.clock();
  }

  Simulation<ProductUnit> model_;
  Source<WidePort> a_{model_->a_valid, model_->a_ready, model_->a_data};
  Source<WidePort> b_{model_->b_valid, model_->b_ready, model_->b_data};
  Source<WidePort> old_{model_->old_valid, model_->old_ready, model_->old_data};
  Sink<WidePort> out_{model_->out_valid, model_->out_ready, model_->out_data};
};

std::vector<Command> products_of_half_operands(Operands& operands) {
  const Integer ones = all_ones(kHalfBits);
  const auto a = [&] { return operands.bits(kHalfBits); };
  return {
      {.kind = "all of a product", .a = a(), .b = a(), .old = 0},
      {.kind = "carries through all words", .a = 1, .b = 1, .old = all_ones(kProductBits)},
      {.kind = "extreme operands", .a = ones, .b = ones, .old = operands.runs(kProductBits)},
      {.kind = "carries up to the last word",
       .a = 1,
       .b = 1,
       .old = all_ones(kProductBits - kWordBits),
       .result_words = kProductWords},
      {.kind = "the first word", .a = a(), .b = a(), .old = a() % 1000, .result_words = 1},
      {.kind = "the lower words",
       .a = operands.runs(kHalfBits),
       .b = a(),
       .old = operands.bits(1000 * kWordBits),
       .result_words = 1000},
      {.kind = "longer than the product",
       .a = ones,
       .b = ones,
       .old = all_ones(4000 * kWordBits),
       .result_words = 4000},
  };
}

std::vector<Command> products_of_full_operands(Operands& operands) {
  const Integer ones = all_ones(kProductBits);
  constexpr std::size_t kShort = 70 * kDigitBits;
  return {
      {.kind = "long by short, no wrap",
       .a = operands.bits(2 * kHalfBits - 5000),
       .b = operands.bits(4990),
       .old = operands.bits(kProductBits),
       .full_load = true},
      {.kind = "long by short, wrapped",
       .a = operands.bits(kProductBits),
       .b = operands.bits(kShort),
       .old = 0,
       .full_load = true},
      {.kind = "short by long, wrapped",
       .a = all_ones(kShort),
       .b = ones,
       .old = all_ones(kProductBits),
       .full_load = true},
      {.kind = "the lower words, wrapped",
       .a = operands.runs(kProductBits),
       .b = operands.bits(kShort),
       .old = operands.bits(3000 * kWordBits),
       .full_load = true,
       .result_words = 3000},
      {.kind = "both of the same length",
       .a = all_ones(kHalfBits),
       .b = all_ones(kHalfBits),
       .old = 0,
       .full_load = true},
      {.kind = "by a power of two: a rotation",
       .a = operands.bits(kProductBits),
       .b = Integer(1) << (40000 * kDigitBits),
       .old = 0,
       .full_load = true},
  };
}

void check_all(const std::vector<Command>& commands, Words* stalls = nullptr) {
  Unit unit;
  for (const Command& command : commands) unit.put(command);  // a word too many spoils the next
  for (const Command& command : commands) unit.run(command, stalls);
}

}  // namespace

TEST_CASE("rtl product_unit: products, back to back", "[rtl]") {
  Operands operands(260);
  check_all(products_of_half_operands(operands));
}

TEST_CASE("rtl product_unit: cyclic products, back to back", "[rtl]") {
  Operands operands(261);
  check_all(products_of_full_operands(operands));
}

TEST_CASE("rtl product_unit: operands of half and of full length take turns", "[rtl]") {
  Operands operands(262);
  const std::vector<Command> half = products_of_half_operands(operands);
  const std::vector<Command> full = products_of_full_operands(operands);
  check_all({full[1], half[5], full[3]});
}

TEST_CASE("rtl product_unit: all sides may stall", "[rtl]") {
  Operands operands(263);
  Words stalls(264);
  check_all({products_of_half_operands(operands)[6], products_of_full_operands(operands)[3]},
            &stalls);
}

TEST_CASE("rtl product_unit: its clocks", "[rtl]") {
  Operands operands(265);
  Unit unit;
  const std::vector<Command> half = products_of_half_operands(operands);
  const std::vector<Command> full = products_of_full_operands(operands);
  const auto clocks = [&](const Command& command) {
    unit.put(command);
    return unit.run(command);
  };
  CHECK(clocks(half[0]) == 39098 + 6);
  CHECK(clocks(half[4]) == 39098 + 4);  // the last words of the product are not added
  CHECK(clocks(half[6]) == 39098 + 6 + (4000 - kProductWords));
  CHECK(clocks(full[1]) == 41146 + 6);
}

TEST_CASE("rtl product_unit: a reset ends a product in any of its phases", "[rtl]") {
  Operands operands(266);
  Unit unit;
  const std::vector<Command> half = products_of_half_operands(operands);
  const std::vector<Command> full = products_of_full_operands(operands);
  for (const std::size_t clocks : {1U, 2U, 1000U, 7000U, 36000U, 38000U}) {
    unit.abandon(full[2], clocks);
  }
  unit.put(half[5]);
  unit.run(half[5]);
}
