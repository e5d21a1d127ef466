// SPDX-License-Identifier: Apache-2.0
// Products of integers in memory, and sums of them, through the low-latency multiplier, against
// GMP, and their clocks.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "SerialEngine256.h"
#include "libfhe/arith/integer.hpp"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/pair_source.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/accel/fpga/rtl/streams.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"
#ifndef FHE_NETLIST
#include "SerialEngine1024.h"
#endif

namespace {

using fhe::Integer;
using fhe::test::all_ones;
using fhe::test::kMemoryLatency;
using fhe::test::kWordBits;
using fhe::test::Operands;
using fhe::test::PairBench;
using fhe::test::Words;

template <class Model>
constexpr std::size_t kPoints = 256;
#ifndef FHE_NETLIST
template <>
constexpr std::size_t kPoints<SerialEngine1024> = 1024;
#endif

// Words of a block of x, and of a row of y.
template <class Model>
constexpr std::size_t kBlock = kPoints<Model> / 2 * 28 / kWordBits;
template <class Model>
constexpr std::size_t kRow = std::min<std::size_t>(kBlock<Model>, 21);

constexpr std::uint64_t kA = 0x1'0000'0000;
constexpr std::uint64_t kB = 0x2'8000'0040;
constexpr std::uint64_t kD = 0x7'fff0'0000;  // beyond the end of 32 bits while it is written
constexpr std::uint64_t kApart = 0x10'0000;  // between the numbers of a sum

struct Operation {
  std::string kind;
  std::size_t a_words = 0, b_words = 0, d_words = 1;
  std::vector<std::pair<Integer, Integer>> pairs = {};  // one, unless it is a sum
  bool sum = false;
  bool accumulate = false;
  Integer old = 0;
  std::size_t a_tail = 0, b_tail = 0;

  [[nodiscard]] Integer exact() const {
    Integer result = accumulate && !sum ? old : Integer(0);
    for (const auto& [a, b] : pairs) result += a * b;
    return result;
  }
};

template <class Model>
class Engine : public PairBench<Model> {
 public:
  Engine() { reset(); }

  // Clocks from that of start to that of done.
  std::uint64_t run(const Operation& operation, Words* stalls = nullptr) {
    INFO(operation.kind);
    const Integer behind = begin(operation, stalls);
    const std::uint64_t clocks = clocks_until_done(stalls, 10'000'000);
    const std::size_t bits = operation.d_words * kWordBits;
    const Integer exact = operation.exact();
    CHECK(pairs_.empty());
    CHECK(memory_.load(kD, operation.d_words) == fhe::low_bits(exact, bits));
    CHECK(memory_.load(kD + bits / 8, 2) == behind);
    CHECK(model_->carry == (exact >> bits != 0));
    leave_done(stalls);
    return clocks;
  }

  // An operation that a reset ends after so many clocks.
  void abandon(const Operation& operation, std::uint64_t clocks, Words* stalls) {
    begin(operation, stalls);
    run_for(clocks, stalls);
    reset();
  }

 private:
  using Bench = PairBench<Model>;
  using Bench::clocks_until_done, Bench::leave_done, Bench::reset, Bench::run_for, Bench::step;
  using Bench::memory_, Bench::model_, Bench::pairs_;

  // What lies behind the destination.
  Integer begin(const Operation& operation, Words* stalls) {
    const std::size_t count = operation.pairs.size();
    for (std::size_t i = 0; i < count; ++i) {
      memory_.store(kA + i * kApart, operation.pairs[i].first, operation.a_words);
      memory_.store(kB + i * kApart, operation.pairs[i].second, operation.b_words);
      if (operation.sum) pairs_.put(kA + i * kApart, kB + i * kApart);
    }
    if (operation.accumulate) memory_.store(kD, operation.old, operation.d_words);
    model_->start = 1;
    model_->sum = operation.sum;
    model_->accumulate = operation.accumulate;
    model_->terms = operation.sum ? static_cast<SData>(count) : 0x5555;
    model_->a_address = operation.sum ? 0 : kA;
    model_->a_words = static_cast<IData>(operation.a_words);
    model_->a_tail = static_cast<SData>(operation.a_tail);
    model_->b_address = operation.sum ? 0 : kB;
    model_->b_words = static_cast<IData>(operation.b_words);
    model_->b_tail = static_cast<SData>(operation.b_tail);
    model_->d_address = kD;
    model_->d_words = static_cast<IData>(operation.d_words);
    step(stalls);
    model_->start = 0;
    CHECK(model_->carry == 0);
    return memory_.load(kD + operation.d_words * kWordBits / 8, 2);
  }
};

// Of random operands that fill their words; the destination has as many words as it needs.
Operation product(Operands& operands, std::size_t a_words, std::size_t b_words) {
  Operation result{.kind = std::to_string(a_words) + " by " + std::to_string(b_words) + " words",
                   .a_words = a_words,
                   .b_words = b_words,
                   .d_words = std::max<std::size_t>(a_words + b_words, 1)};
  result.pairs.emplace_back(operands.bits(a_words * kWordBits), operands.bits(b_words * kWordBits));
  return result;
}

Operation ones(std::size_t a_words, std::size_t b_words) {
  return {.kind = "all ones",
          .a_words = a_words,
          .b_words = b_words,
          .d_words = a_words + b_words,
          .pairs = {{all_ones(a_words * kWordBits), all_ones(b_words * kWordBits)}}};
}

Operation into(std::size_t d_words, Operation operation) {
  operation.kind += " into " + std::to_string(d_words);
  operation.d_words = d_words;
  return operation;
}

Operation added(Operation operation, const Integer& old) {
  operation.kind += ", added";
  operation.accumulate = true;
  operation.old = old;
  return operation;
}

// Of pairs of random numbers; the shorter ones leave the 16 bits that a sum needs.
Operation sum(Operands& operands, std::size_t terms, std::size_t a_words, std::size_t b_words) {
  Operation result{.kind = "sum of " + std::to_string(terms) + ", " + std::to_string(a_words) +
                           " by " + std::to_string(b_words) + " words",
                   .a_words = a_words,
                   .b_words = b_words,
                   .d_words = a_words + b_words,
                   .sum = true};
  for (std::size_t i = 0; i < terms; ++i)
    result.pairs.emplace_back(operands.bits(a_words * kWordBits),
                              operands.bits(b_words * kWordBits - 16));
  return result;
}

constexpr std::size_t parts(std::size_t words, std::size_t size) {
  return std::max<std::size_t>(1, (words + size - 1) / size);
}

// Those of the multiplier, and of its first words and its last ones on their ways from and to
// memory.
template <class Model>
std::uint64_t clocks(const Operation& operation) {
  constexpr std::size_t k = kPoints<Model>;
  constexpr std::size_t kLog2 = k == 256 ? 8 : 10;
  constexpr std::size_t kBeatBits = 56;
  const auto [y, x] = std::minmax(operation.a_words, operation.b_words);
  const std::size_t x_blocks = parts(operation.sum ? operation.a_words : x, kBlock<Model>);
  const std::size_t y_rows = operation.sum ? operation.pairs.size() : parts(y, kRow<Model>);
  const std::size_t step = operation.sum ? 0 : kRow<Model>;
  const std::size_t row_words = (x_blocks + 1) * kBlock<Model>;
  const bool odd = x_blocks % 2 == 1;
  std::uint64_t clocks = k - 2 + 34 * (kLog2 - 1) + 15 + y_rows * (1 + x_blocks / 2) * k / 2 +
                         (odd && x_blocks > 1 ? 3 * k / 4 : k / 2);
  // A row that goes on to the end of d holds up the next one; words of it wait meanwhile.
  const std::size_t waits = odd ? 61 : 61 + k / 4;
  for (std::size_t row = 0; operation.accumulate && !operation.sum && row + 1 < y_rows; ++row) {
    const std::size_t taken = row * step + row_words + waits;
    if (operation.d_words > taken) clocks += operation.d_words - taken;
  }
  const std::size_t room = operation.d_words - (y_rows - 1) * step;
  if (room >= row_words) return clocks + 90 + room - row_words;
  const std::size_t early = (row_words - room) * kWordBits / kBeatBits;
  return clocks + (early > 25 ? 65 : 90 - early);
}

template <class Model>
void run_by_law(Engine<Model>& engine, const Operation& operation) {
  INFO(operation.kind);
  const std::uint64_t law = clocks<Model>(operation);
  const std::uint64_t counted = engine.run(operation);
  // A number without words need not be waited for.
  const bool waits = operation.a_words != 0 && operation.b_words != 0;
  CHECK(counted >= law - (waits ? 0 : kMemoryLatency + 1));
  // In the rows that go on to the end of d the words of x come between the old ones.
  CHECK(counted <= law + (operation.accumulate ? law / 200 : 0));
}

#ifdef FHE_NETLIST
using Sizes = std::tuple<SerialEngine256>;
#else
using Sizes = std::tuple<SerialEngine256, SerialEngine1024>;
#endif

}  // namespace

TEST_CASE("rtl serial_engine: products of all kinds of lengths", "[rtl]") {
  Operands operands(500);
  Engine<SerialEngine256> engine;
  for (std::size_t words = 1; words <= 60; ++words) {
    run_by_law(engine, product(operands, words, operands.between(1, 60)));
    run_by_law(engine, product(operands, operands.between(1, 14), operands.between(1, 14)));
  }
  for (const std::size_t words : {0U, 1U, 7U, 8U, 60U}) {
    engine.run(product(operands, words, 0));
    engine.run(product(operands, 0, words));
  }
}

TEMPLATE_LIST_TEST_CASE("rtl serial_engine: at the ends of blocks and rows", "[rtl]", Sizes) {
  constexpr std::size_t block = kBlock<TestType>, row = kRow<TestType>;
  Operands operands(501);
  Engine<TestType> engine;
  for (const std::size_t x : {block - 1, block, block + 1, 2 * block, 2 * block + 1, 3 * block}) {
    for (const std::size_t y : {std::size_t{1}, row - 1, row, row + 1, 2 * row, 2 * row + 1}) {
      const Operation p = operands.coin() ? product(operands, x, y) : product(operands, y, x);
      run_by_law(engine, p);
      engine.run(ones(x, y));
    }
  }
}

TEMPLATE_LIST_TEST_CASE("rtl serial_engine: destinations longer and shorter than the blocks",
                        "[rtl]", Sizes) {
  Operands operands(502);
  Engine<TestType> engine;
  for (const auto& [a, b, d] : std::vector<std::tuple<std::size_t, std::size_t, std::size_t>>{
           {5, 0, 90}, {1, 0, 1}, {5, 0, 5}, {1, 1, 1}, {7, 7, 7}, {20, 16, 90}, {70, 30, 110}}) {
    Operation p = into(d, product(operands, a, b));
    for (auto& [x, y] : p.pairs) y = fhe::low_bits(y, (d - a) * kWordBits);
    run_by_law(engine, p);
  }
}

TEMPLATE_LIST_TEST_CASE("rtl serial_engine: products that are added", "[rtl]", Sizes) {
  Operands operands(503);
  Engine<TestType> engine;
  for (const auto& [a, b, d] :
       std::vector<std::tuple<std::size_t, std::size_t, std::size_t>>{{1, 0, 3},
                                                                      {1, 1, 2},
                                                                      {1, 1, 90},
                                                                      {30, 20, 50},
                                                                      {30, 20, 60},
                                                                      {60, 45, 105},
                                                                      {60, 45, 400},
                                                                      {45, 50, 500}}) {
    const Operation p = into(d, product(operands, a, b));
    const std::size_t bits = d * kWordBits;
    const Integer exact = p.exact();
    for (const Integer& old :
         {Integer(0), operands.bits(bits), operands.runs(bits), all_ones(bits),
          Integer(all_ones(bits) - exact), fhe::low_bits(all_ones(bits) - exact + 1, bits)}) {
      const Operation q = added(p, old);
      run_by_law(engine, q);
    }
    // A carry from the lowest word of each row to the end.
    engine.run(added(into(d, ones(a, b)), all_ones(bits) - all_ones(a * kWordBits)));
  }
}

TEMPLATE_LIST_TEST_CASE("rtl serial_engine: sums of products", "[rtl]", Sizes) {
  constexpr std::size_t block = kBlock<TestType>, row = kRow<TestType>;
  Operands operands(504);
  Engine<TestType> engine;
  for (const std::size_t terms : {1U, 2U, 3U, 20U}) {
    for (const std::size_t a_words : {std::size_t{1}, block, block + 1, 3 * block - 1}) {
      const std::size_t b_words = operands.between(1, row);
      const Operation s = sum(operands, terms, a_words, b_words);
      run_by_law(engine, s);
    }
  }
  for (std::size_t terms = 1; terms <= 40; terms += 3) {
    Operation s = into(operands.between(1, 4 * block) + row, sum(operands, terms, 1, row));
    run_by_law(engine, s);
    s.accumulate = true;  // not heard
    s.old = all_ones(s.d_words * kWordBits);
    run_by_law(engine, s);
  }
  const Operation nothing{.kind = "no words", .d_words = 2, .pairs = {{0, 0}, {0, 0}}, .sum = true};
  engine.run(nothing);
  engine.run(sum(operands, 3, 0, row));
}

TEMPLATE_LIST_TEST_CASE("rtl serial_engine: sums as long as any", "[rtl]", Sizes) {
  constexpr std::size_t a_bits = 3 * kBlock<TestType> * kWordBits;
  constexpr std::size_t b_bits = kRow<TestType> * kWordBits - 16;
  Engine<TestType> engine;
  Operation s{.kind = "all ones",
              .a_words = a_bits / kWordBits,
              .b_words = kRow<TestType>,
              .d_words = 4 * kBlock<TestType>,
              .sum = true};
  s.pairs.assign(60, {all_ones(a_bits), all_ones(b_bits)});
  run_by_law(engine, s);
}

TEST_CASE("rtl serial_engine: a term of a Toy encryption takes 2816 clocks", "[rtl]") {
  Operands operands(505);
  Engine<SerialEngine256> engine;
  const Operation s = sum(operands, 12, 288, 2), t = sum(operands, 11, 288, 2);
  const std::uint64_t of_s = engine.run(s);
  CHECK(of_s - engine.run(t) == 2816);
  CHECK(of_s == clocks<SerialEngine256>(s));
}

TEMPLATE_LIST_TEST_CASE("rtl serial_engine: every side stalls", "[rtl]", Sizes) {
  Operands operands(506);
  Words stalls(507);
  Engine<TestType> engine;
  for (std::size_t trial = 0; trial < 12; ++trial) {
    const std::size_t a_words = operands.between(0, 60), b_words = operands.between(0, 60);
    const Operation p = product(operands, a_words, b_words);
    engine.run(p, &stalls);
    engine.run(added(p, operands.runs(p.d_words * kWordBits)), &stalls);
    engine.run(sum(operands, operands.between(1, 12), operands.between(0, 40),
                   operands.between(1, kRow<TestType>)),
               &stalls);
  }
}

TEST_CASE("rtl serial_engine: pads of all numbers", "[rtl]") {
  Operands operands(508);
  const auto pad_error = [&](const Operation& operation) {
    Engine<SerialEngine256> engine;
    engine.run(operation);
    return engine.pad_error();
  };
  for (const auto& [a_words, b_words] : std::vector<std::pair<std::size_t, std::size_t>>{
           {1, 1}, {7, 7}, {8, 14}, {15, 8}, {9, 21}}) {
    Operation p = product(operands, a_words, b_words);
    p.a_tail = 100;
    p.b_tail = 300;
    auto& [a, b] = p.pairs.front();
    a = fhe::low_bits(a, (a_words - 1) * kWordBits + p.a_tail);
    b = fhe::low_bits(b, (b_words - 1) * kWordBits + p.b_tail);
    CHECK(!pad_error(p));
    const Operation sound = p;
    mpz_setbit(a.get_mpz_t(), (a_words - 1) * kWordBits + p.a_tail);
    CHECK(pad_error(p));
    p = sound;
    mpz_setbit(b.get_mpz_t(), b_words * kWordBits - 1);
    CHECK(pad_error(p));
  }
  const Operation sound = [&] {
    Operation s = sum(operands, 4, 15, 3);
    s.a_tail = 5;
    s.b_tail = 496;
    for (auto& pair : s.pairs) pair.first = fhe::low_bits(pair.first, 14 * kWordBits + s.a_tail);
    return s;
  }();
  CHECK(!pad_error(sound));
  for (std::size_t term = 0; term < 4; ++term) {
    Operation s = sound;
    mpz_setbit(s.pairs[term].first.get_mpz_t(), 14 * kWordBits + s.a_tail);
    CHECK(pad_error(s));
    s = sound;
    mpz_setbit(s.pairs[term].second.get_mpz_t(), 2 * kWordBits + s.b_tail);
    CHECK(pad_error(s));
  }
}

TEMPLATE_LIST_TEST_CASE("rtl serial_engine: a reset ends an operation", "[rtl]", Sizes) {
  Operands operands(509);
  Words stalls(510);
  Engine<TestType> engine;
  const std::vector<Operation> operations = {
      product(operands, 30, 25), added(product(operands, 30, 25), all_ones(55 * kWordBits)),
      sum(operands, 5, 9, 7)};
  for (const Operation& operation : operations) {
    const std::uint64_t all = clocks<TestType>(operation);
    for (std::uint64_t part = 0; part < 10; ++part) {
      Words* const will = part % 2 == 1 ? &stalls : nullptr;
      engine.abandon(operation, 1 + part * (all - 1) / 10, will);
      const Operation next = operands.coin() ? product(operands, 8, 3) : sum(operands, 3, 8, 3);
      run_by_law(engine, next);
    }
    for (const std::uint64_t clocks : {2U, 33U, 34U, 35U, 36U, 37U, 38U, 60U, 70U}) {
      engine.abandon(operation, clocks, nullptr);
      engine.run(product(operands, 2, 2));
    }
    engine.abandon(operation, all - 2, nullptr);
    engine.run(sum(operands, 2, 2, 2));
  }
}
