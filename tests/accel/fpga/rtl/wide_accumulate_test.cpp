// SPDX-License-Identifier: Apache-2.0
// Sums and differences word by word, against GMP.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "WideAccumulate.h"
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
using fhe::test::set_limb;
using fhe::test::set_limbs;
using fhe::test::Simulation;
using fhe::test::Words;
using Limbs = std::vector<std::uint64_t>;

constexpr std::size_t kBits = 512;
constexpr std::size_t kLimbs = 8;

struct Operation {
  Integer a, b;
  bool subtract = false, carry_in = false;
  std::size_t words = 1;

  [[nodiscard]] Integer exact() const {
    const Integer more = b + (carry_in ? 1 : 0);
    return subtract ? Integer(a - more) : Integer(a + more);
  }
};

struct Outcome {
  Integer result;
  bool carry = false;
};

// The operands of a kind that a running number picks.
Operation operation(Operands& operands, std::size_t number) {
  Operation op;
  op.words = operands.between(1, 8);
  op.subtract = operands.coin();
  op.carry_in = operands.coin();
  const std::size_t bits = op.words * kBits;
  switch (number % 5) {
    case 0:
      op.a = all_ones(bits), op.b = 1;
      break;
    case 1:
      op.a = operands.bits(bits), op.b = all_ones(bits) - op.a + operands.between(0, 1);
      break;
    case 2:
      op.a = op.b = operands.bits(bits);
      break;
    case 3:
      op.a = Integer(1) << operands.between(0, bits - 1), op.b = 1;
      break;
    default:
      op.a = operands.runs(bits), op.b = operands.runs(bits);
  }
  op.b = fhe::low_bits(op.b, bits);
  return op;
}

class Accumulator {
 public:
  Accumulator() {
    model_->in_valid = 0;
    model_->out_ready = 1;
    model_.reset();
  }

  Simulation<WideAccumulate>& model() { return model_; }

  // All operations without a word between them, unless `stalls` says so.
  std::vector<Outcome> run(const std::vector<Operation>& operations, Words* stalls) {
    std::vector<Outcome> outcomes;
    for (const Operation& op : operations) {
      for (std::size_t word = 0; word < op.words; ++word) feed(op, word, stalls, outcomes);
    }
    model_->in_valid = 0;
    for (int clock = 0; clock < 100 && outcomes.size() < operations.size(); ++clock) {
      step(stalls, outcomes);
    }
    return outcomes;
  }

  // One word, and as many clocks as it takes to get in.
  void feed(const Operation& op, std::size_t word, Words* stalls, std::vector<Outcome>& outcomes) {
    while (stalls != nullptr && stalls->below(3) == 0) {
      offer_nothing(*stalls);
      step(stalls, outcomes);
    }
    const std::size_t limbs = op.words * kLimbs;
    set_limbs(model_->a, limbs_of_integer(op.a, limbs).data() + word * kLimbs);
    set_limbs(model_->b, limbs_of_integer(op.b, limbs).data() + word * kLimbs);
    model_->subtract = op.subtract;
    model_->carry_in = op.carry_in && word == 0;
    model_->in_first = word == 0;
    model_->in_last = word + 1 == op.words;
    model_->in_valid = 1;
    while (!step(stalls, outcomes)) continue;
  }

 private:
  // What lies on the ports of a word that is not valid.
  void offer_nothing(Words& words) {
    model_->in_valid = 0;
    model_->in_first = model_->in_last = 0;
    for (std::size_t i = 0; i < kLimbs; ++i) {
      set_limb(model_->a, i, words.random());
      set_limb(model_->b, i, words.random());
    }
  }

  // One clock; whether the word that was offered got in.
  bool step(Words* stalls, std::vector<Outcome>& outcomes) {
    model_->out_ready = stalls == nullptr || stalls->coin();
    model_.settle();
    const bool taken = model_->in_valid && model_->in_ready;
    if (model_->out_valid && model_->out_ready) collect(outcomes);
    model_.clock();
    return taken;
  }

  void collect(std::vector<Outcome>& outcomes) {
    for (std::size_t i = 0; i < kLimbs; ++i) limbs_.push_back(limb(model_->result, i));
    if (!model_->out_last) return;
    outcomes.push_back({integer_of(limbs_), model_->carry_out != 0});
    limbs_.clear();
  }

  Simulation<WideAccumulate> model_;
  Limbs limbs_;
};

void check(const std::vector<Operation>& operations, const std::vector<Outcome>& outcomes) {
  REQUIRE(outcomes.size() == operations.size());
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Operation& op = operations[i];
    INFO("operation " << i << (op.subtract ? ", a difference of " : ", a sum of ") << op.words);
    CHECK(outcomes[i].result == fhe::low_bits(op.exact(), op.words * kBits));
    CHECK(outcomes[i].carry == (op.exact() < 0 || (op.exact() >> (op.words * kBits)) != 0));
  }
}

}  // namespace

TEST_CASE("rtl wide_accumulate: sums and differences, with and without stalls", "[rtl]") {
  Operands operands(23);
  std::vector<Operation> operations;
  for (std::size_t i = 0; i < 200; ++i) operations.push_back(operation(operands, i));
  Words stalls(24);
  Accumulator accumulator;
  check(operations, accumulator.run(operations, nullptr));
  check(operations, accumulator.run(operations, &stalls));
}

TEST_CASE("rtl wide_accumulate: a word a clock", "[rtl]") {
  Operands operands(25);
  Accumulator accumulator;
  std::vector<Outcome> outcomes;
  const Operation op{.a = operands.bits(64 * kBits), .b = operands.bits(64 * kBits), .words = 64};
  for (std::size_t word = 0; word < op.words; ++word) {
    accumulator.model().settle();
    CHECK(accumulator.model()->in_ready == 1);
    accumulator.feed(op, word, nullptr, outcomes);
  }
  CHECK(accumulator.model()->out_valid == 1);
}

TEST_CASE("rtl wide_accumulate: a reset forgets the words under way", "[rtl]") {
  Operands operands(26);
  Accumulator accumulator;
  std::vector<Outcome> outcomes;
  const Operation carries{.a = all_ones(4 * kBits), .b = 1, .words = 4};
  accumulator.feed(carries, 0, nullptr, outcomes);
  accumulator.model()->in_valid = 0;
  accumulator.model().reset();
  const std::vector<Operation> operations = {operation(operands, 4), operation(operands, 0)};
  check(operations, accumulator.run(operations, nullptr));
}
