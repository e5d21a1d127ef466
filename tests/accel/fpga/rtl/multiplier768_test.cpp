// SPDX-License-Identifier: Apache-2.0
// The 786,432-bit multiplier: products against GMP, and its clocks, counted here.
#include "Multiplier768.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

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

constexpr std::size_t kBits = 786432;
constexpr std::size_t kBeatLimbs = 6;
constexpr std::size_t kInBeats = 2048;
constexpr std::size_t kOutBeats = 4096;

constexpr std::uint32_t kClocks = 4096 + 8 * 4119 + 4098;
constexpr std::uint32_t kClocksSkipping = kClocks - 2048;
static_assert(kClocks == 41146 && kClocksSkipping == 39098);

struct Run {
  bool full_load = false;
  bool skip_zero_beats = false;
  Words* stalls = nullptr;  // both sides stall at its will
};

struct Result {
  Integer product;
  std::uint32_t clocks = 0;  // from the first in which a beat could enter to the last beat out
};

class Multiplier {
 public:
  Multiplier() {
    model_->start = model_->in_valid = 0;
    model_->out_ready = 1;
    model_.reset();
  }

  Result multiply(const Integer& a, const Integer& b, const Run& run = {}) {
    begin(a, b, run);
    Limbs product;
    product.reserve(kOutBeats * kBeatLimbs);
    std::uint32_t clocks = 0;
    while (product.size() < kOutBeats * kBeatLimbs) {
      ++clocks;
      if (clocks > 10 * kClocks) FAIL("no end");
      step(run, &product);
    }
    CHECK(model_->done == 1);
    CHECK(model_->busy == 0);
    CHECK(model_->out_valid == 0);
    CHECK(model_->cycles == clocks);
    return {integer_of(product), clocks};
  }

  // A product that a reset ends after so many clocks.
  void abandon(const Integer& a, const Integer& b, std::uint32_t clocks) {
    begin(a, b, {});
    for (std::uint32_t i = 0; i < clocks; ++i) step({}, nullptr);
    CHECK(model_->busy == 1);
    model_->in_valid = 0;
    model_.reset();
    CHECK(model_->busy == 0);
    CHECK(model_->out_valid == 0);
  }

 private:
  void begin(const Integer& a, const Integer& b, const Run& run) {
    beats_ = run.full_load ? 2 * kInBeats : kInBeats;
    a_ = limbs_of_integer(a, beats_ * kBeatLimbs);
    b_ = limbs_of_integer(b, beats_ * kBeatLimbs);
    fed_ = 0;
    model_->start = 1;
    model_->full_load = run.full_load;
    model_->skip_zero_beats = run.skip_zero_beats;
    model_.clock();
    model_->start = 0;
  }

  void step(const Run& run, Limbs* product) {
    const bool offer = fed_ < beats_ && (run.stalls == nullptr || run.stalls->below(4) != 0);
    model_->in_valid = offer;
    if (!offer && run.stalls != nullptr) {
      set_limb(model_->a_in, 0, run.stalls->random());
    } else if (offer) {
      set_limbs(model_->a_in, a_.data() + kBeatLimbs * fed_);
      set_limbs(model_->b_in, b_.data() + kBeatLimbs * fed_);
      fed_ += model_->in_ready;
    }
    model_->out_ready = run.stalls == nullptr || run.stalls->below(3) != 0;
    if (product != nullptr && model_->out_valid && model_->out_ready) {
      for (std::size_t i = 0; i < kBeatLimbs; ++i) product->push_back(limb(model_->product, i));
    }
    model_.clock();
  }

  Simulation<Multiplier768> model_;
  Limbs a_, b_;
  std::size_t beats_ = 0, fed_ = 0;
};

Integer sparse(Operands& operands, std::size_t bits) {
  Integer x;
  for (int i = 0; i < 20; ++i) mpz_setbit(x.get_mpz_t(), operands.between(0, bits - 1));
  return x;
}

struct Pair {
  std::string kind;
  Integer a, b;
};

std::vector<Pair> extreme_pairs() {
  const Integer ones = all_ones(kBits);
  const Integer top = Integer(1) << (kBits - 1);
  Operands operands(16);
  return {{"all ones", ones, ones},
          {"carry chains", operands.runs(kBits), operands.runs(kBits)},
          {"sparse by all ones", sparse(operands, kBits), ones},
          {"highest bits", top, top}};
}

std::vector<Pair> many_pairs() {
  const Integer ones = all_ones(kBits);
  const Integer top = Integer(1) << (kBits - 1);
  Operands operands(17);
  std::vector<Pair> pairs = {{"zero by all ones", 0, ones},
                             {"one by one", 1, 1},
                             {"one by all ones", 1, ones},
                             {"highest bit by one", top, 1},
                             {"highest bit by all ones", top, ones},
                             {"short by long", operands.bits(100), operands.bits(kBits)}};
  for (int i = 0; i < 4; ++i) {
    pairs.push_back({"random", operands.bits(kBits), operands.bits(kBits)});
    pairs.push_back({"carry chains", operands.runs(kBits), operands.runs(kBits)});
    pairs.push_back({"sparse", sparse(operands, kBits), sparse(operands, kBits)});
    pairs.push_back({"single bits", Integer(1) << operands.between(0, kBits - 1),
                     Integer(1) << operands.between(0, kBits - 1)});
  }
  return pairs;
}

void check_all(const std::vector<Pair>& pairs) {
  Multiplier multiplier;
  for (const Pair& pair : pairs) {
    INFO(pair.kind);
    const Result result = multiplier.multiply(pair.a, pair.b);
    CHECK(result.product == pair.a * pair.b);
    CHECK(result.clocks == kClocks);
  }
}

}  // namespace

TEST_CASE("rtl multiplier768: extreme operands, back to back, 41,146 clocks each", "[rtl]") {
  check_all(extreme_pairs());
}

TEST_CASE("rtl multiplier768: operands of every kind, 41,146 clocks each", "[rtl]") {
  const std::vector<Pair> pairs = many_pairs();
  REQUIRE(pairs.size() >= 20);
  check_all(pairs);
}

TEST_CASE("rtl multiplier768: 39,098 clocks without the beats of zeros", "[rtl]") {
  Operands operands(18);
  Multiplier multiplier;
  // The product before fills the upper halves of the banks.
  for (const bool skip : {false, true, true}) {
    const Integer a = operands.runs(kBits);
    const Integer b = operands.bits(kBits);
    const Result result = multiplier.multiply(a, b, {.skip_zero_beats = skip});
    CHECK(result.product == a * b);
    CHECK(result.clocks == (skip ? kClocksSkipping : kClocks));
  }
}

TEST_CASE("rtl multiplier768: operands of all beats, 41,146 clocks", "[rtl]") {
  Operands operands(270);
  Multiplier multiplier;
  const Integer a = operands.runs(2 * kBits - 300000);
  const Integer b = operands.bits(300000);
  for (const bool skip : {false, true}) {
    const Result result = multiplier.multiply(a, b, {.full_load = true, .skip_zero_beats = skip});
    CHECK(result.product == a * b);
    CHECK(result.clocks == kClocks);
  }
  // The next operands are short again, then a power of two rotates the digits.
  CHECK(multiplier.multiply(b, b, {.skip_zero_beats = true}).product == b * b);
  constexpr std::size_t kShift = 1000 * 24;
  const Integer rotated = (a << kShift) % (Integer(1) << 2 * kBits) + (a >> (2 * kBits - kShift));
  CHECK(multiplier.multiply(a, Integer(1) << kShift, {.full_load = true}).product == rotated);
}

TEST_CASE("rtl multiplier768: both sides may stall", "[rtl]") {
  Operands operands(19);
  Words stalls(20);
  Multiplier multiplier;
  const Integer a = operands.bits(kBits);
  const Integer b = operands.bits(kBits);
  const Result result = multiplier.multiply(a, b, {.stalls = &stalls});
  CHECK(result.product == a * b);
  CHECK(result.clocks > kClocks);
}

TEST_CASE("rtl multiplier768: a reset ends a product in any of its phases", "[rtl]") {
  Operands operands(21);
  Multiplier multiplier;
  const Integer a = operands.bits(kBits);
  const Integer b = operands.bits(kBits);
  // In the load, in a forward stage, in the last inverse stage, in the read-out.
  for (const std::uint32_t clocks : {1000U, 7000U, 36000U, 40000U}) {
    multiplier.abandon(b, a, clocks);
  }
  const Result result = multiplier.multiply(a, b);
  CHECK(result.product == a * b);
  CHECK(result.clocks == kClocks);
}

TEST_CASE("rtl multiplier768: seconds of simulation per product", "[.speed]") {
  Operands operands(22);
  Multiplier multiplier;
  const Integer a = operands.bits(kBits);
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    const std::clock_t begin = std::clock();
    static_cast<void>(multiplier.multiply(a, a));
    best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  WARN("the best of five: " << best << " s");
}
