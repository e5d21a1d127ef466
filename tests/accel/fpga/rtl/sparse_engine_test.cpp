// SPDX-License-Identifier: Apache-2.0
// Sums of products with numbers of few one-bits in memory, against GMP.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "SparseEngine.h"
#include "libfhe/arith/integer.hpp"
#include "tests/accel/fpga/rtl/block_products.hpp"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/pair_source.hpp"
#include "tests/accel/fpga/rtl/streams.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

namespace {

constexpr std::uint64_t kApart = 0x10'0000;  // between the numbers of a sum
constexpr std::size_t kIndexBits = 12;

struct Term {
  Integer a;
  std::vector<std::uint64_t> indices{};

  [[nodiscard]] Integer product() const {
    Integer sum;
    for (const std::uint64_t index : indices) sum += a << index;
    return sum;
  }
  [[nodiscard]] Integer indices_word() const {
    Integer word;
    for (std::size_t i = indices.size(); i-- > 0;) word = (word << 16) + indices[i];
    return word;
  }
};

struct Sum {
  std::vector<Term> terms{};
  std::size_t weight = 15, a_words = 1, d_words = 1;
  bool accumulate = false;
  Integer old = 0;

  [[nodiscard]] Integer exact() const {
    Integer sum = accumulate ? old : Integer(0);
    for (const Term& term : terms) sum += term.product();
    return sum;
  }
};

// The destination holds the sum, or is short.
Sum some_sum(Operands& operands, std::size_t count, bool fits) {
  Sum sum{.weight = operands.between(0, 15), .a_words = operands.between(0, 8)};
  sum.d_words = sum.a_words + (fits ? 9 : operands.between(1, 3));
  sum.accumulate = operands.coin();
  sum.old = operands.runs(sum.d_words * kWordBits - (fits ? 10 : 0));
  for (std::size_t i = 0; i < count; ++i) {
    Term term{.a = operands.runs(sum.a_words * kWordBits)};
    for (std::size_t k = 0; k < sum.weight; ++k)
      term.indices.push_back(operands.between(0, (1U << kIndexBits) - 1));
    sum.terms.push_back(term);
  }
  return sum;
}

class Engine : public PairBench<SparseEngine> {
 public:
  Engine() { reset(); }

  void run(const Sum& sum, Words* stalls) {
    const Integer behind = begin(sum, stalls);
    clocks_until_done(stalls, 100'000);
    const std::size_t bits = sum.d_words * kWordBits;
    const Integer exact = sum.exact();
    CHECK(pairs_.empty());
    CHECK(model_->bad_index == 0);
    CHECK(memory_.load(kD, sum.d_words) == low_bits(exact, bits));
    CHECK(memory_.load(kD + bits / 8, 2) == behind);
    if (exact >> bits == 0) CHECK(model_->carry == 0);
    leave_done(stalls);
  }

  // Whose first index is too large.
  void run_bad(Sum sum, Words* stalls) {
    sum.terms.front().indices.front() = 1U << kIndexBits;
    begin(sum, stalls);
    while (!model_->done) step(stalls);
    CHECK(model_->bad_index == 1);
    reset();
  }

  void abandon(const Sum& sum, std::uint64_t clocks, Words* stalls) {
    begin(sum, stalls);
    run_for(clocks, stalls);
    reset();
  }

 private:
  // What lies behind the destination.
  Integer begin(const Sum& sum, Words* stalls) {
    for (std::size_t i = 0; i < sum.terms.size(); ++i) {
      memory_.store(kA + i * kApart, sum.terms[i].a, sum.a_words);
      memory_.store(kB + i * kApart, sum.terms[i].indices_word(), 1);
      pairs_.put(kA + i * kApart, kB + i * kApart);
    }
    if (sum.accumulate) memory_.store(kD, sum.old, sum.d_words);
    model_->start = 1;
    model_->accumulate = sum.accumulate;
    model_->terms = static_cast<SData>(sum.terms.size());
    model_->weight = static_cast<CData>(sum.weight);
    model_->a_words = static_cast<IData>(sum.a_words);
    model_->a_tail = 0;
    model_->d_address = kD;
    model_->d_words = static_cast<IData>(sum.d_words);
    step(stalls);
    model_->start = 0;
    return memory_.load(kD + sum.d_words * kWordBits / 8, 2);
  }
};

}  // namespace

TEST_CASE("rtl sparse_engine: sums of products, with and without stalls", "[rtl]") {
  Operands operands(350);
  Words stalls(351);
  Engine engine;
  for (int i = 0; i < 60; ++i)
    engine.run(some_sum(operands, operands.between(1, 6), i % 4 != 0),
               operands.coin() ? nullptr : &stalls);
}

TEST_CASE("rtl sparse_engine: an index that is too large", "[rtl]") {
  Operands operands(352);
  Words stalls(353);
  Engine engine;
  for (Words* const late : {static_cast<Words*>(nullptr), &stalls}) {
    Sum sum = some_sum(operands, 3, true);
    while (sum.weight == 0) sum = some_sum(operands, 3, true);
    engine.run_bad(sum, late);
    engine.run(some_sum(operands, 2, true), late);
  }
}

TEST_CASE("rtl sparse_engine: a reset ends a sum at any moment", "[rtl]") {
  Operands operands(354);
  Words stalls(355);
  Engine engine;
  for (std::uint64_t clocks = 1; clocks < 60; clocks += 3) {
    Sum sum = some_sum(operands, 5, true);
    while (sum.weight == 0) sum = some_sum(operands, 5, true);
    engine.abandon(sum, clocks, clocks % 2 == 0 ? &stalls : nullptr);
    engine.run(some_sum(operands, 3, true), &stalls);
  }
}

}  // namespace fhe::test
