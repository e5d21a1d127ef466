// SPDX-License-Identifier: Apache-2.0
// Sums and differences of streams, against GMP: doubled, sign-extended, with and without their
// words.
#include <cstddef>
#include <vector>

#include "SumUnit.h"
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

struct Command {
  Integer a, b;  // b has one word if it is extended
  std::size_t words = 1;
  bool subtract = false, carry_in = false, double_a = false, sign_extend_b = false, drop = false;

  [[nodiscard]] std::size_t bits() const { return words * kWordBits; }

  // The operands as numbers without a sign.
  [[nodiscard]] Integer first() const {
    return fhe::low_bits(double_a ? Integer(2 * a) : a, bits());
  }
  [[nodiscard]] Integer second() const {
    const bool negative = sign_extend_b && mpz_tstbit(b.get_mpz_t(), kWordBits - 1) != 0;
    return negative ? Integer(b + (Integer(1) << bits()) - (Integer(1) << kWordBits)) : b;
  }
  [[nodiscard]] Integer exact() const {
    const Integer more = second() + (carry_in ? 1 : 0);
    return subtract ? Integer(first() - more) : Integer(first() + more);
  }
};

// Every combination of the modes has its turn.
Command command(Operands& operands, std::size_t number) {
  Command c;
  c.subtract = (number & 1) != 0;
  c.double_a = (number & 2) != 0;
  c.sign_extend_b = (number & 4) != 0;
  c.drop = (number & 24) == 24;
  c.carry_in = operands.coin();
  c.words = operands.between(1, 6);
  const std::size_t b_bits = c.sign_extend_b ? kWordBits : c.bits();
  switch (operands.between(0, 4)) {
    case 0:
      c.a = all_ones(c.bits()), c.b = 1;
      break;
    case 1:
      c.a = 0, c.b = all_ones(b_bits);
      break;
    case 2:
      c.a = operands.bits(c.bits());
      c.b = fhe::low_bits(c.double_a ? Integer(2 * c.a) : c.a, b_bits);
      break;
    case 3:
      c.a = operands.bits(c.bits()), c.b = operands.bits(b_bits);
      break;
    default:
      c.a = operands.runs(c.bits()), c.b = operands.runs(b_bits);
  }
  return c;
}

class Unit {
 public:
  Unit() {
    model_->start = 0;
    model_.reset();
    CHECK(model_->busy == 0);
  }

  // The operands of one command, behind those that are already there.
  void put(const Command& command) {
    a_.put(words_of_integer(command.a, command.words));
    b_.put(words_of_integer(command.b, command.sign_extend_b ? 1 : command.words));
  }

  // Clocks from that of start to that of done.
  std::size_t run(const Command& command, Words* stalls) {
    const std::size_t words_out = command.drop ? 0 : command.words;
    begin(command, stalls);
    std::size_t clocks = 1;
    for (; model_->done == 0; ++clocks) {
      if (clocks > 1000) FAIL("no end");
      CHECK(model_->busy == 1);
      model_->start = out_.words().size() < words_out;  // not heard while busy
      step(stalls);
    }
    CHECK(model_->busy == 0);
    check_result(command);
    return clocks;
  }

  // An operation that a reset ends after so many clocks.
  void abandon(const Command& command, std::size_t clocks, Words* stalls) {
    put(command);
    begin(command, stalls);
    for (std::size_t i = 1; i < clocks; ++i) step(stalls);
    a_.forget(), b_.forget();
    model_.reset();
    CHECK(model_->busy == 0);
    CHECK(model_->done == 0);
    CHECK(model_->out_valid == 0);
    out_.forget();
  }

 private:
  void begin(const Command& command, Words* stalls) {
    out_.forget();
    takes_words_ = !command.drop;
    model_->start = 1;
    model_->words = static_cast<IData>(command.words);
    model_->subtract = command.subtract;
    model_->carry_in = command.carry_in;
    model_->double_a = command.double_a;
    model_->sign_extend_b = command.sign_extend_b;
    model_->drop = command.drop;
    step(stalls);
    CHECK(model_->done == 0);
    // What the modes are later on does not matter.
    model_->words = 77;
    model_->subtract = !command.subtract;
    model_->carry_in = !command.carry_in;
    model_->double_a = !command.double_a;
    model_->sign_extend_b = !command.sign_extend_b;
    model_->drop = !command.drop;
    model_->start = 0;
  }

  void check_result(const Command& command) {
    CHECK(model_->carry_out == (command.exact() < 0 || (command.exact() >> command.bits()) != 0));
    if (command.drop) {
      CHECK(out_.words().empty());
    } else {
      REQUIRE(out_.words().size() == command.words);
      CHECK(integer_of_words(out_.words()) == fhe::low_bits(command.exact(), command.bits()));
    }
  }

  void step(Words* stalls) {
    a_.drive(stalls);
    b_.drive(stalls);
    out_.drive(stalls);
    if (!takes_words_) model_->out_ready = 0;
    model_.settle();
    a_.look();
    b_.look();
    out_.look();
    model_.clock();
  }

  Simulation<SumUnit> model_;
  Source<WidePort> a_{model_->a_valid, model_->a_ready, model_->a_data};
  Source<WidePort> b_{model_->b_valid, model_->b_ready, model_->b_data};
  Sink<WidePort> out_{model_->out_valid, model_->out_ready, model_->out_data};
  bool takes_words_ = true;
};

}  // namespace

TEST_CASE("rtl sum_unit: all modes, with and without stalls", "[rtl]") {
  Operands operands(240);
  Words stalls(241);
  std::vector<Command> commands;
  for (std::size_t i = 0; i < 320; ++i) commands.push_back(command(operands, i));
  for (Words* const will : {static_cast<Words*>(nullptr), &stalls}) {
    Unit unit;
    for (const Command& c : commands) unit.put(c);  // a word too many would spoil the next
    for (const Command& c : commands) {
      INFO(c.words << " words" << (c.subtract ? ", subtract" : "")
                   << (c.carry_in ? ", one more" : "") << (c.double_a ? ", double" : "")
                   << (c.sign_extend_b ? ", extend" : "") << (c.drop ? ", drop" : ""));
      unit.run(c, will);
    }
  }
}

TEST_CASE("rtl sum_unit: a word a clock", "[rtl]") {
  Operands operands(242);
  Unit unit;
  for (const std::size_t words : {1U, 2U, 3U, 100U}) {
    for (const bool drop : {false, true}) {
      const Command c{.a = operands.bits(words * kWordBits),
                      .b = operands.bits(words * kWordBits),
                      .words = words,
                      .drop = drop};
      unit.put(c);
      CHECK(unit.run(c, nullptr) == words + 3);
    }
  }
}

TEST_CASE("rtl sum_unit: a reset ends an operation in any of its clocks", "[rtl]") {
  Operands operands(243);
  Words stalls(244);
  Unit unit;
  for (std::size_t clocks = 1; clocks < 13; ++clocks) {
    Command c = command(operands, clocks);
    c.words = 12;
    unit.abandon(c, clocks, clocks % 2 == 0 ? &stalls : nullptr);
    const Command next = command(operands, clocks);
    unit.put(next);
    unit.run(next, nullptr);
  }
}
