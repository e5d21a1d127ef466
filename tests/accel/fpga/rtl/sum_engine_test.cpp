// SPDX-License-Identifier: Apache-2.0
// Sums and differences of integers in memory, against GMP.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "SumEngine.h"
#include "libfhe/arith/integer.hpp"
#include "tests/accel/fpga/rtl/block_products.hpp"
#include "tests/accel/fpga/rtl/engine_bench.hpp"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/streams.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

namespace {

struct Sum {
  Integer a, b;  // b has at most one word if it is extended
  std::size_t a_words = 0, b_words = 0, d_words = 1;
  bool subtract = false, carry_in = false, double_a = false, sign_extend_b = false, drop = false;

  [[nodiscard]] std::size_t bits() const { return d_words * kWordBits; }

  // Without a sign, so that what is above d is the carry or the borrow.
  [[nodiscard]] Integer exact() const {
    const Integer first = low_bits(double_a ? Integer(2 * a) : a, bits());
    const bool negative = sign_extend_b && mpz_tstbit(b.get_mpz_t(), kWordBits - 1) != 0;
    const Integer second =
        negative ? Integer(b + all_ones(bits()) + 1 - all_ones(kWordBits) - 1) : b;
    const Integer more = second + (carry_in ? 1 : 0);
    return subtract ? Integer(first - more) : Integer(first + more);
  }
};

// Every combination of the modes has its turn.
Sum some_sum(Operands& operands, std::size_t number) {
  Sum sum;
  sum.subtract = (number & 1) != 0;
  sum.double_a = (number & 2) != 0;
  sum.sign_extend_b = (number & 4) != 0;
  sum.drop = (number & 24) == 24;
  sum.carry_in = operands.coin();
  sum.d_words = operands.between(1, 6);
  sum.a_words = operands.between(0, sum.d_words);
  sum.b_words = operands.between(0, sum.sign_extend_b ? 1 : sum.d_words);
  const auto number_of = [&](std::size_t words) {
    return operands.coin() ? operands.runs(words * kWordBits) : all_ones(words * kWordBits);
  };
  sum.a = number_of(sum.a_words);
  sum.b = number_of(sum.b_words);
  return sum;
}

class Engine : public EngineBench<SumEngine> {
 public:
  Engine() { reset(); }

  void run(const Sum& sum, Words* stalls) {
    const Integer behind = begin(sum, stalls);
    clocks_until_done(stalls, 10'000);
    const Integer exact = sum.exact();
    if (!sum.drop) CHECK(memory_.load(kD, sum.d_words) == oracle_bits(exact, sum.bits()));
    CHECK(memory_.load(kD + sum.bits() / 8, 2) == behind);
    CHECK(model_->carry == (exact >> sum.bits() != 0));
    leave_done(stalls);
  }

  void abandon(const Sum& sum, std::uint64_t clocks, Words* stalls) {
    begin(sum, stalls);
    run_for(clocks, stalls);
    reset();
  }

 private:
  static Integer oracle_bits(const Integer& x, std::size_t bits) {
    return x < 0 ? Integer(x + (Integer(1) << bits)) : low_bits(x, bits);
  }

  // What lies behind the destination.
  Integer begin(const Sum& sum, Words* stalls) {
    memory_.store(kA, sum.a, sum.a_words);
    memory_.store(kB, sum.b, sum.b_words);
    model_->start = 1;
    model_->subtract = sum.subtract;
    model_->carry_in = sum.carry_in;
    model_->double_a = sum.double_a;
    model_->sign_extend_b = sum.sign_extend_b;
    model_->drop = sum.drop;
    model_->a_address = kA;
    model_->a_words = static_cast<IData>(sum.a_words);
    model_->a_tail = 0;
    model_->b_address = kB;
    model_->b_words = static_cast<IData>(sum.b_words);
    model_->b_tail = 0;
    model_->d_address = kD;
    model_->d_words = static_cast<IData>(sum.d_words);
    step(stalls);
    model_->start = 0;
    return memory_.load(kD + sum.bits() / 8, 2);
  }
};

}  // namespace

TEST_CASE("rtl sum_engine: sums of every mode, with and without stalls", "[rtl]") {
  Operands operands(340);
  Words stalls(341);
  Engine engine;
  for (std::size_t i = 0; i < 400; ++i)
    engine.run(some_sum(operands, i), operands.coin() ? nullptr : &stalls);
}

TEST_CASE("rtl sum_engine: a reset ends a sum at any moment", "[rtl]") {
  Operands operands(342);
  Words stalls(343);
  Engine engine;
  for (std::uint64_t clocks = 1; clocks < 30; ++clocks) {
    Sum sum = some_sum(operands, clocks);
    sum.d_words += 30;
    engine.abandon(sum, clocks, clocks % 2 == 0 ? &stalls : nullptr);
    engine.run(some_sum(operands, clocks), &stalls);
  }
}

}  // namespace fhe::test
