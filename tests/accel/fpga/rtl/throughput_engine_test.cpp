// SPDX-License-Identifier: Apache-2.0
// Products of long integers in memory by a stream of blocks that are added up on the chip, against
// GMP, and their clocks.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ThroughputEngine13.h"
#include "ThroughputEngine16.h"
#include "libfhe/arith/integer.hpp"
#include "tests/accel/fpga/rtl/block_products.hpp"
#include "tests/accel/fpga/rtl/engine_bench.hpp"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/accel/fpga/rtl/streams.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace {

using fhe::Integer;
using fhe::test::added_to;
using fhe::test::all_ones;
using fhe::test::carried_through;
using fhe::test::EngineBench;
using fhe::test::into;
using fhe::test::kA;
using fhe::test::kB;
using fhe::test::kD;
using fhe::test::kWordBits;
using fhe::test::ones;
using fhe::test::Operands;
using fhe::test::Product;
using fhe::test::product;
using fhe::test::Words;

constexpr std::size_t kSliceWords = 184;

// Of an element of so many words, whose slices are read two at a time.
constexpr std::size_t read_words(std::size_t words) {
  return (words + 2 * kSliceWords - 1) / (2 * kSliceWords) * 2 * kSliceWords;
}

// Of elements, which lie 2^32 bytes apart, zeros behind them, and weights, one after the other.
struct Sum {
  std::string kind;
  std::size_t a_words, b_words, d_words;
  std::vector<Integer> a = {}, b = {};
  std::size_t b_tail = 0;

  [[nodiscard]] Integer exact() const {
    Integer sum;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }
};

template <class Model>
class Engine : public EngineBench<Model> {
 public:
  Engine() { this->reset(); }

  // Clocks from that of start to that of done.
  template <class Operation>
  std::uint64_t run(const Operation& operation, Words* stalls = nullptr) {
    INFO(operation.kind);
    const Integer behind = begin(operation, stalls);
    const std::uint64_t clocks = this->clocks_until_done(stalls, 10'000'000);
    const std::size_t bits = operation.d_words * kWordBits;
    const Integer exact = operation.exact();
    check_result(operation, fhe::low_bits(exact, bits));
    CHECK(this->memory_.load(kD + bits / 8, 2) == behind);
    if (operation.d_words >= operation.a_words + operation.b_words)
      CHECK(this->model_->carry == (exact >> bits != 0));
    this->leave_done(stalls);
    return clocks;
  }

  // An operation that a reset ends after so many clocks.
  template <class Operation>
  void abandon(const Operation& operation, std::uint64_t clocks) {
    begin(operation, nullptr);
    this->run_for(clocks, nullptr);
    this->reset();
  }

 private:
  // From d_from on the result may be smaller by one, which is 2^464 times what can be missing.
  void check_result(const Product& product, const Integer& right) {
    const Integer result = this->memory_.load(kD, product.d_words);
    if (product.d_from == 0) {
      CHECK(result == right);
      return;
    }
    const Integer missing =
        (right >> product.d_from * kWordBits) - (result >> product.d_from * kWordBits);
    CHECK((missing == 0 || missing == 1));
  }

  void check_result(const Sum& sum, const Integer& right) {
    CHECK(this->memory_.load(kD, sum.d_words) == right);
  }

  // What lies behind the destination.
  Integer begin(const Product& product, Words* stalls) {
    auto& model = this->model_;
    model->sum = 0;
    give(product, model, this->memory_);
    model->d_from = static_cast<IData>(product.d_from);
    return start(product.d_words, stalls);
  }
  Integer begin(const Sum& sum, Words* stalls) {
    auto& model = this->model_;
    for (std::size_t i = 0; i < sum.a.size(); ++i) {
      this->memory_.store(kA + (std::uint64_t{i} << 32), sum.a[i], read_words(sum.a_words));
      this->memory_.store(kB + i * sum.b_words * kWordBits / 8, sum.b[i], sum.b_words);
    }
    model->start = model->sum = 1;
    model->accumulate = 1;  // not looked at
    model->terms = static_cast<SData>(sum.a.size());
    model->a_address = kA;
    model->a_words = static_cast<IData>(sum.a_words);
    model->a_tail = 1;  // not looked at: the element memory gives zeros
    model->b_address = kB;
    model->b_words = static_cast<IData>(sum.b_words);
    model->b_tail = static_cast<SData>(sum.b_tail);
    model->d_address = kD;
    model->d_words = static_cast<IData>(sum.d_words);
    model->d_from = 0;
    return start(sum.d_words, stalls);
  }

  Integer start(std::size_t d_words, Words* stalls) {
    this->model_->four_step = 0;
    this->step(stalls);
    this->model_->start = 0;
    CHECK(this->model_->carry == 0);
    return this->memory_.load(kD + d_words * kWordBits / 8, 2);
  }
};

// Blocks of up to 192 words, and of up to 1536. Short adds up four terms of a sum at a time.
using Short = Engine<ThroughputEngine13>;
using Long = Engine<ThroughputEngine16>;

Product from(std::size_t d_from, Product product) {
  product.kind += " from " + std::to_string(d_from);
  product.d_from = d_from;
  return product;
}

// Of random elements and weights that fill their words; d has one word more, unless their words
// have room.
Sum sum_of(Operands& operands, std::size_t terms, std::size_t a_words, std::size_t b_words) {
  Sum sum{.kind = std::to_string(terms) + " times " + std::to_string(a_words) + " by " +
                  std::to_string(b_words) + " words",
          .a_words = a_words,
          .b_words = b_words,
          .d_words = a_words + b_words + 1};
  for (std::size_t i = 0; i < terms; ++i) {
    sum.a.push_back(operands.bits(a_words * kWordBits));
    sum.b.push_back(operands.bits(b_words * kWordBits));
  }
  return sum;
}

Sum sum_of_ones(std::size_t terms, std::size_t a_words, std::size_t b_words) {
  return {.kind = "all ones, " + std::to_string(terms) + " times",
          .a_words = a_words,
          .b_words = b_words,
          .d_words = a_words + b_words + 1,
          .a = std::vector<Integer>(terms, all_ones(a_words * kWordBits)),
          .b = std::vector<Integer>(terms, all_ones(b_words * kWordBits))};
}

Sum into(std::size_t d_words, Sum sum) {
  sum.kind += " into " + std::to_string(d_words);
  sum.d_words = d_words;
  return sum;
}

}  // namespace

TEST_CASE("rtl throughput_engine: products of all numbers of blocks", "[rtl]") {
  Operands operands(320);
  Short engine;
  for (std::size_t a = 1; a <= 4; ++a) {
    for (std::size_t b = 1; b <= 4; ++b) {
      engine.run(product(operands, 192 * a - operands.between(0, 190), 192 * b));
      engine.run(ones(192 * a, 192 * b));
    }
  }
  engine.run(product(operands, 96, 500));  // blocks of 96 words
  engine.run(product(operands, 700, 97));  // of 192
  engine.run(ones(96, 96 * 5));
  engine.run(ones(96 * 5, 1));
}

TEST_CASE("rtl throughput_engine: products of one block, and of none", "[rtl]") {
  Operands operands(321);
  Short engine;
  engine.run(product(operands, 1, 1));
  engine.run(product(operands, 96, 96));
  engine.run(product(operands, 0, 0));
  engine.run(product(operands, 0, 450));
  engine.run(product(operands, 450, 0));
  engine.run(added_to(all_ones(300 * kWordBits), into(300, product(operands, 100, 0))));
}

TEST_CASE("rtl throughput_engine: products that are added", "[rtl]") {
  Operands operands(322);
  Short engine;
  const auto old = [&](std::size_t words) { return operands.runs(words * kWordBits); };
  engine.run(added_to(old(500), product(operands, 200, 300)));
  engine.run(added_to(old(1500), into(1500, product(operands, 600, 400))));
  engine.run(added_to(old(700), into(700, product(operands, 2, 600))));
  engine.run(carried_through(into(900, product(operands, 50, 400))));
  engine.run(carried_through(product(operands, 576, 576)));
  engine.run(added_to(all_ones(768 * kWordBits), ones(384, 384)));
}

TEST_CASE("rtl throughput_engine: destinations that are longer, and that cut a product", "[rtl]") {
  Operands operands(323);
  Short engine;
  engine.run(into(1200, product(operands, 200, 300)));
  for (const std::size_t words : {1U, 191U, 192U, 193U, 384U, 385U, 600U})
    engine.run(into(words, product(operands, 300, 500)));
  engine.run(added_to(operands.bits(400 * kWordBits), into(400, ones(300, 300))));
}

TEST_CASE("rtl throughput_engine: lower words that need not be right", "[rtl]") {
  Operands operands(324);
  Short engine;
  const Product whole = product(operands, 800, 900);
  const std::uint64_t clocks = engine.run(whole);
  std::uint64_t before = clocks;
  for (const std::size_t words : {384U, 385U, 577U, 900U, 1500U, 1700U}) {
    const std::uint64_t fewer = engine.run(from(words, whole));
    CHECK(fewer <= before);
    before = fewer;
  }
  CHECK(engine.run(from(384, whole)) == clocks);       // a whole word is kept below
  CHECK(engine.run(from(385, whole)) < clocks - 400);  // one of 25 products less
  engine.run(from(850, ones(850, 850)));
  engine.run(from(700, into(900, ones(850, 850))));
  engine.run(from(300, into(700, product(operands, 1, 1))));  // the result is lower than all
}

TEST_CASE("rtl throughput_engine: the bits above a tail", "[rtl]") {
  Operands operands(325);
  Short engine;
  Product checked = product(operands, 250, 400);
  checked.a >>= kWordBits - 100;  // 100 bits of the last word
  checked.b >>= kWordBits - 7;
  checked.a_tail = 100;
  checked.b_tail = 7;
  engine.run(checked);
  CHECK_FALSE(engine.pad_error());
  Product wrong = checked;
  wrong.b += Integer(1) << (399 * kWordBits + 7);
  wrong.b_tail = 0;  // all bits are used
  engine.run(wrong);
  CHECK_FALSE(engine.pad_error());
  wrong.b_tail = 7;
  engine.run(wrong);
  CHECK(engine.pad_error());
  engine.abandon(checked, 5);  // with what was found
  CHECK_FALSE(engine.pad_error());
  wrong = checked;
  wrong.a += Integer(1) << (250 * kWordBits - 1);
  engine.run(wrong);
  CHECK(engine.pad_error());
}

TEST_CASE("rtl throughput_engine: all sides may stall", "[rtl]") {
  Operands operands(326);
  Words stalls(327);
  Short engine;
  engine.run(product(operands, 400, 500), &stalls);
  engine.run(added_to(operands.runs(1100 * kWordBits), into(1100, product(operands, 90, 800))),
             &stalls);
  engine.run(from(600, into(800, product(operands, 500, 500))), &stalls);
}

TEST_CASE("rtl throughput_engine: a reset ends a product at any moment", "[rtl]") {
  Operands operands(328);
  Short engine;
  const Product abandoned = product(operands, 300, 700);
  const Product other = product(operands, 50, 60);
  // Before the first block is found, in its load, in its transforms, while products are added, at
  // the end.
  for (const std::uint64_t clocks : {1U, 3U, 5U, 100U, 700U, 1700U, 2000U, 3000U, 5500U}) {
    engine.abandon(abandoned, clocks);
    if (clocks % 2 == 0) engine.run(other);
  }
  engine.run(product(operands, 200, 190));
}

TEST_CASE("rtl throughput_engine: blocks of every length", "[rtl]") {
  Operands operands(329);
  Long engine;
  for (const std::size_t step : {1536U, 96U, 768U, 192U, 384U}) {
    engine.run(product(operands, step, step));
    engine.run(product(operands, step / 2 + 1, 2 * step + 5));
  }
  engine.run(ones(3072, 3072));
  engine.run(carried_through(into(4000, product(operands, 1600, 2000))));
}

TEST_CASE("rtl throughput_engine: sums of elements by weights", "[rtl]") {
  Operands operands(333);
  Short engine;
  // In one pair of slices and in more of them, on both sides of every limit, with weights of all
  // lengths.
  for (const std::size_t words : {1U, 2U, 183U, 184U, 185U, 367U, 368U, 369U, 552U, 553U, 736U})
    engine.run(sum_of(operands, operands.between(1, 4), words, operands.between(0, 6)));
  engine.run(product(operands, 300, 200));  // and products between them
  engine.run(sum_of(operands, 4, 500, 2));
  engine.run(into(2000, sum_of(operands, 3, 500, 3)));
  engine.run(into(500, sum_of(operands, 3, 500, 3)));  // what is above is not wanted
}

TEST_CASE("rtl throughput_engine: sums of more terms than are added up at a time", "[rtl]") {
  Operands operands(339);
  Short engine;
  for (const std::size_t terms : {4U, 5U, 8U, 9U, 11U}) {
    engine.run(sum_of(operands, terms, operands.between(150, 200), operands.between(0, 6)));
    engine.run(sum_of_ones(terms, 380, 6));
    engine.run(sum_of_ones(terms, 184, 1));
  }
  Sum carried = sum_of_ones(9, 200, 6);  // the parts carry out of d, which a bit more would hold
  carried.d_words = 206;
  engine.run(carried);
  carried.a.resize(1), carried.b.resize(1);
  engine.run(carried);
}

TEST_CASE("rtl throughput_engine: sums after products of every length", "[rtl]") {
  Operands operands(334);
  Long engine;
  for (const std::size_t words : {3072U, 96U, 400U}) {
    engine.run(product(operands, words, 1000));
    engine.run(sum_of(operands, 3, operands.between(150, 600), operands.between(1, 6)));
  }
  engine.run(sum_of_ones(20, 200, 6));
}

TEST_CASE("rtl throughput_engine: the bits above the tail of a weight", "[rtl]") {
  Operands operands(335);
  Short engine;
  Sum sum = sum_of(operands, 5, 50, 2);
  for (Integer& weight : sum.b) weight >>= 88;
  sum.b_tail = 424;
  engine.run(sum);
  CHECK_FALSE(engine.pad_error());
  mpz_setbit(sum.b[3].get_mpz_t(), 936);
  engine.run(sum);
  CHECK(engine.pad_error());
}

TEST_CASE("rtl throughput_engine: sums with stalls and resets", "[rtl]") {
  Operands operands(336);
  Words stalls(337);
  Short engine;
  engine.run(sum_of(operands, 6, 290, 2), &stalls);
  engine.run(sum_of(operands, 3, 400, 5), &stalls);
  const Sum abandoned = sum_of(operands, 6, 500, 3);
  for (const std::uint64_t clocks : {1U, 2U, 3U, 5U, 100U, 900U, 1700U, 2500U, 4000U}) {
    engine.abandon(abandoned, clocks);
    if (clocks % 2 == 0) engine.run(sum_of(operands, 2, 40, 1));
    if (clocks % 3 == 0) engine.run(product(operands, 50, 60));
  }
  engine.run(abandoned);
}

// The terms of a pair of slices take 256 clocks each, and so do the zeros behind them, in which the
// second slice leaves; the last word of d leaves with one of the last two slices.
TEST_CASE("rtl throughput_engine: the clocks of sums", "[rtl]") {
  Operands operands(338);
  Short engine;
  constexpr std::size_t kPart = 4, kProductWords = 192;
  for (const auto& [terms, a_words, d_words] : {std::array<std::size_t, 3>{1, 1, 2},
                                                {4, 184, 187},
                                                {3, 290, 293},
                                                {3, 290, 500},
                                                {2, 736, 739},
                                                {2, 900, 903},
                                                {10, 400, 403}}) {
    const std::size_t pairs = read_words(a_words) / (2 * kSliceWords);
    const std::size_t here = d_words - 2 * kSliceWords * (pairs - 1);
    const std::size_t is_second = here > kSliceWords;
    const std::size_t last = here - kSliceWords * is_second;
    const std::size_t above = last > kProductWords ? 3 + last - kProductWords : 0;
    std::uint64_t clocks = 0;
    for (std::size_t left = terms; left != 0; left -= std::min(left, kPart)) {
      clocks += 1177 + 61 + 256 * (pairs * (std::min(left, kPart) + 1) - 2 + is_second) +
                (4 * std::min(last, kProductWords) - 1) / 3 + above;
      if (left != terms) clocks += 18;  // for what is there
    }
    CAPTURE(terms, a_words, d_words);
    CHECK(engine.run(into(d_words, sum_of(operands, terms, a_words, 2))) == clocks);
  }
}

TEST_CASE("rtl throughput_engine: its clocks", "[rtl]") {
  Operands operands(332);
  Long engine;
  struct Law {
    std::size_t size, a_words, b_words, d_words;
    std::size_t products, last_words;  // how many, and words of d from the last one on
    std::size_t left_out = 0, d_from = 0;
  };
  for (const Law& law : {Law{0, 1, 1, 2, 1, 2},
                         {0, 1, 1, 500, 1, 500},
                         {0, 96, 50, 146, 1, 146},
                         {0, 96, 960, 1056, 10, 192},
                         {1, 192, 192, 100, 1, 100},
                         {1, 192, 1920, 2112, 10, 384},
                         {2, 384, 300, 684, 1, 684},
                         {3, 768, 768, 1536, 1, 1536},
                         {4, 1536, 1536, 3072, 1, 3072},
                         {4, 1600, 1600, 1600, 3, 64},
                         {4, 2000, 1537, 3537, 4, 465},
                         {4, 3072, 3072, 6144, 4, 3072, 0, 3072},
                         {4, 3072, 3072, 6144, 3, 3072, 1, 3073},
                         {4, 3072, 3072, 6144, 1, 3072, 2, 6000}}) {
    const std::size_t step = std::size_t{96} << law.size;
    const std::size_t pipeline = 1172 + (std::size_t{512} << law.size) - 512 + 11 * law.size;
    const std::size_t in_product = std::min(law.last_words, 2 * step);
    const std::size_t above = law.last_words > in_product ? 3 + law.last_words - in_product : 0;
    const std::size_t loading = std::min({law.a_words, law.b_words, step});
    const std::uint64_t clocks = pipeline + 62 + (2 * loading + 4 * in_product) / 3 +
                                 (law.products - 1) * (8 * step / 3) + above + 3 * law.left_out;
    const std::uint64_t taken = engine.run(
        from(law.d_from, into(law.d_words, product(operands, law.a_words, law.b_words))));
    CHECK(taken >= clocks);
    CHECK(taken <= clocks + 1);  // beats and words are whole
  }
  // An operand that does not fill its blocks is read ahead.
  const std::uint64_t clocks = engine.run(product(operands, 700, 3000));
  CHECK(clocks >= 4789 + 62 + 466 + 3 * 2048 + 1861);
  CHECK(clocks <= 4789 + 62 + 466 + 3 * 2048 + 1861 + 23);
  // The old words: until the first ones are there; and 288 for each product with its words of d.
  const Product one = product(operands, 96, 96);
  CHECK(engine.run(added_to(one.a, one)) == engine.run(one) + 21);
  const Product few = product(operands, 96, 960);
  const Product many = product(operands, 96, 1920);
  CHECK(engine.run(added_to(many.b, many)) - engine.run(added_to(few.b, few)) == 10 * 288);
}

TEST_CASE("rtl throughput_engine: many blocks, random lengths", "[rtl][long]") {
  Operands operands(330);
  Words stalls(331);
  Long engine;
  for (int round = 0; round < 40; ++round) {
    Product random = product(operands, operands.between(0, operands.coin() ? 6000 : 1600),
                             operands.between(0, 6000));
    if (operands.coin()) random = into(operands.between(1, random.d_words + 4000), random);
    if (operands.coin()) random = added_to(operands.runs(random.d_words * kWordBits), random);
    if (operands.coin()) random = from(operands.between(0, random.d_words), random);
    engine.run(random, operands.coin() ? &stalls : nullptr);
  }
}
