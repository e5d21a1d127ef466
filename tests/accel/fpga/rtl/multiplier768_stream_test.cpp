// SPDX-License-Identifier: Apache-2.0
// The 786,432-bit multiplier for streams: products against GMP, and its clocks, counted here.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "Multiplier768Stream.h"
#include "libfhe/arith/integer.hpp"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/accel/fpga/rtl/streams.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace {

using fhe::Integer;
using fhe::test::all_ones;
using fhe::test::integer_of;
using fhe::test::limbs_of_integer;
using fhe::test::Operands;
using fhe::test::Simulation;
using fhe::test::Sink;
using fhe::test::Source;
using fhe::test::WordOf;
using fhe::test::Words;

using Beat = WordOf<VlWide<12>>;

constexpr std::size_t kBits = 786432;
constexpr std::size_t kBeatLimbs = 6;
constexpr std::size_t kInBeats = 2048;
constexpr std::size_t kOutBeats = 4096;

constexpr std::uint64_t kProcessors = 2;
constexpr std::uint64_t kPasses = 12;
constexpr std::uint64_t kPass = 4096;
constexpr std::uint64_t kClocks = kPasses * kPass / kProcessors;
static_assert(kClocks == 24576);

// From the first operand beat to the last beat of the first product: the load, the passes, the
// stores of the last one, the read-out; and one more in which the first pass hears of the last
// operand beat.
constexpr std::uint64_t kFirstProduct = kInBeats + kPasses * kPass + 24 + 4102;

struct Pair {
  std::string kind;
  Integer a, b;
};

// A clock in which the first product is read out.
constexpr std::uint64_t kReading = kFirstProduct - 3000;

struct Run {
  bool full_load = false;
  Words* stalls = nullptr;  // every side stalls at its will
  std::uint64_t pause = 0;  // clocks from kReading on in which nobody takes the product
};

struct Result {
  std::vector<Integer> products;
  std::vector<std::uint64_t> ends;  // clocks from the first of the run to each last beat
  std::uint64_t stalls = 0;         // clocks in which an operand beat or a taker was missing
};

std::vector<Beat> beats_of_integer(const Integer& x, std::size_t count) {
  const std::vector<std::uint64_t> limbs = limbs_of_integer(x, count * kBeatLimbs);
  std::vector<Beat> beats(count);
  for (std::size_t i = 0; i < limbs.size(); ++i) beats[i / kBeatLimbs][i % kBeatLimbs] = limbs[i];
  return beats;
}

Integer product_at(const std::vector<Beat>& beats, std::size_t index) {
  std::vector<std::uint64_t> limbs;
  limbs.reserve(kOutBeats * kBeatLimbs);
  for (std::size_t i = 0; i < kOutBeats; ++i) {
    const Beat& beat = beats[index * kOutBeats + i];
    limbs.insert(limbs.end(), beat.begin(), beat.end());
  }
  return integer_of(limbs);
}

class Multiplier {
 public:
  Multiplier() {
    model_->full_load = 0;
    model_.reset();
  }

  // All operands are offered from the first clock on.
  Result multiply(const std::vector<Pair>& pairs, const Run& run = {}) {
    begin(pairs, run.full_load);
    Result result;
    for (std::uint64_t clock = 1; result.ends.size() < pairs.size(); ++clock) {
      if (clock > 20 * kClocks * (pairs.size() + 2)) FAIL("no end");
      const bool away = clock >= kReading && clock < kReading + run.pause;
      if (step(run.stalls, away, result.stalls)) result.ends.push_back(clock);
    }
    CHECK(model_->busy == 0);
    CHECK(model_->out_valid == 0);
    REQUIRE(out_.words().size() == pairs.size() * kOutBeats);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      result.products.push_back(product_at(out_.words(), i));
    }
    return result;
  }

  // A stream that a reset ends after so many clocks.
  void abandon(const std::vector<Pair>& pairs, std::uint64_t clocks) {
    begin(pairs, false);
    std::uint64_t stalls = 0;
    for (std::uint64_t i = 0; i < clocks; ++i) step(nullptr, false, stalls);
    CHECK(model_->busy == 1);
    model_->a_valid = model_->b_valid = 0;
    model_.reset();
    CHECK(model_->busy == 0);
    CHECK(model_->out_valid == 0);
  }

 private:
  void begin(const std::vector<Pair>& pairs, bool full_load) {
    a_.forget(), b_.forget(), out_.forget();
    model_->full_load = full_load;
    for (const Pair& pair : pairs) {
      a_.put(beats_of_integer(pair.a, full_load ? 2 * kInBeats : kInBeats));
      b_.put(beats_of_integer(pair.b, full_load ? 2 * kInBeats : kInBeats));
    }
  }

  // Whether the last beat of a product left. Counts the clocks in which one side waits for another.
  bool step(Words* stalls, bool away, std::uint64_t& stalled) {
    a_.drive(stalls), b_.drive(stalls), out_.drive(stalls);
    if (away) model_->out_ready = 0;
    model_.settle();
    const bool late = (model_->a_ready && !model_->a_valid && a_.left() != 0) ||
                      (model_->b_ready && !model_->b_valid && b_.left() != 0) ||
                      (model_->out_valid && !model_->out_ready);
    stalled += late;
    const bool ended = model_->out_valid && model_->out_ready && model_->out_last;
    a_.look(), b_.look(), out_.look();
    model_.clock();
    return ended;
  }

  Simulation<Multiplier768Stream> model_;
  Source<VlWide<12>> a_{model_->a_valid, model_->a_ready, model_->a_in};
  Source<VlWide<12>> b_{model_->b_valid, model_->b_ready, model_->b_in};
  Sink<VlWide<12>> out_{model_->out_valid, model_->out_ready, model_->product};
};

Integer sparse(Operands& operands) {
  Integer x;
  for (int i = 0; i < 20; ++i) mpz_setbit(x.get_mpz_t(), operands.between(0, kBits - 1));
  return x;
}

std::vector<Pair> ten_pairs() {
  const Integer ones = all_ones(kBits);
  const Integer top = Integer(1) << (kBits - 1);
  Operands operands(280);
  return {{"random", operands.bits(kBits), operands.bits(kBits)},
          {"all ones", ones, ones},
          {"sparse", sparse(operands), sparse(operands)},
          {"short", operands.bits(100), operands.bits(3000)},
          {"carry chains", operands.runs(kBits), operands.runs(kBits)},
          {"sparse by all ones", sparse(operands), ones},
          {"zero by all ones", 0, ones},
          {"highest bits", top, top},
          {"short by long", operands.bits(50000), operands.bits(kBits)},
          {"random", operands.bits(kBits), operands.bits(kBits)}};
}

std::vector<Pair> random_pairs(std::uint64_t seed, std::size_t count) {
  Operands operands(seed);
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < count; ++i) {
    pairs.push_back({"random", operands.runs(kBits), operands.bits(kBits)});
  }
  return pairs;
}

void check_products(const Result& result, const std::vector<Pair>& pairs) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    INFO("product " << i << ": " << pairs[i].kind);
    CHECK(result.products[i] == Integer(pairs[i].a * pairs[i].b));
  }
}

}  // namespace

TEST_CASE("rtl multiplier768_stream: ten products, 24,576 clocks each", "[rtl]") {
  const std::vector<Pair> pairs = ten_pairs();
  REQUIRE(pairs.size() == 10);
  Multiplier multiplier;
  const Result result = multiplier.multiply(pairs);
  check_products(result, pairs);
  CHECK(result.stalls == 0);
  CHECK(result.ends[0] == kFirstProduct);
  for (std::size_t i = kProcessors; i < pairs.size(); ++i) {
    INFO("product " << i);
    CHECK(result.ends[i] - result.ends[i - kProcessors] == kProcessors * kClocks);
  }
}

TEST_CASE("rtl multiplier768_stream: one product, then others when all is idle", "[rtl]") {
  Multiplier multiplier;
  for (const std::size_t count : {1U, 2U, 1U}) {
    const std::vector<Pair> pairs = random_pairs(281, count);
    const Result result = multiplier.multiply(pairs);
    check_products(result, pairs);
    CHECK(result.ends[0] == kFirstProduct);
  }
}

TEST_CASE("rtl multiplier768_stream: stalls of every side add at most their own clocks", "[rtl]") {
  const std::vector<Pair> pairs = random_pairs(282, 4);
  Words stalls(283);
  Multiplier multiplier;
  const Result free = multiplier.multiply(pairs);
  const Result stalled = multiplier.multiply(pairs, {.stalls = &stalls});
  check_products(stalled, pairs);
  CHECK(stalled.stalls > 0);
  CHECK(stalled.ends.back() <= free.ends.back() + stalled.stalls);
}

TEST_CASE("rtl multiplier768_stream: a pause of the taker is hidden while it is short", "[rtl]") {
  const std::vector<Pair> pairs = random_pairs(288, 3);
  Multiplier multiplier;
  const Result free = multiplier.multiply(pairs);
  for (const std::uint64_t pause : {8000U, 60000U}) {
    const Result paused = multiplier.multiply(pairs, {.pause = pause});
    check_products(paused, pairs);
    CHECK(paused.stalls >= pause);
    CHECK(paused.ends[0] == free.ends[0] + pause);
    if (pause < 2 * kPass) {
      CHECK(paused.ends[2] == free.ends[2]);
    } else {
      CHECK(paused.ends[2] > free.ends[2]);
      CHECK(paused.ends[2] < free.ends[2] + pause);
    }
  }
}

TEST_CASE("rtl multiplier768_stream: operands of all beats, cyclic products", "[rtl]") {
  Operands operands(284);
  constexpr std::size_t kShift = 1000 * 24;
  const Integer a = operands.runs(2 * kBits - 300000);
  const Integer b = operands.bits(300000);
  const std::vector<Pair> pairs = {
      {"long by short", a, b}, {"short by long", b, a}, {"rotated", a, Integer(1) << kShift}};
  Multiplier multiplier;
  const Result result = multiplier.multiply(pairs, {.full_load = true});
  CHECK(result.products[0] == a * b);
  CHECK(result.products[1] == a * b);
  const Integer rotated = (a << kShift) % (Integer(1) << 2 * kBits) + (a >> (2 * kBits - kShift));
  CHECK(result.products[2] == rotated);
  CHECK(result.ends[0] == kFirstProduct + kInBeats);
  // The banks are full now, and the next operands short.
  const std::vector<Pair> next = random_pairs(285, 2);
  check_products(multiplier.multiply(next), next);
}

TEST_CASE("rtl multiplier768_stream: a reset ends a stream at any moment", "[rtl]") {
  const std::vector<Pair> abandoned = random_pairs(286, 4);
  const std::vector<Pair> pairs = random_pairs(287, 2);
  Multiplier multiplier;
  // In the first load, in each of the three phases, in the first read-out, in passes of later
  // products.
  for (const std::uint64_t clocks : {1000U, 9000U, 25000U, 50000U, 53000U, 70001U}) {
    multiplier.abandon(abandoned, clocks);
  }
  const Result result = multiplier.multiply(pairs);
  check_products(result, pairs);
  CHECK(result.ends[0] == kFirstProduct);
}
