// SPDX-License-Identifier: Apache-2.0
// The streaming multiplier: products of all lengths in any order against GMP, and its clocks,
// counted here.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "MultiplierThroughput13.h"
#include "MultiplierThroughput16.h"
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

constexpr std::size_t kBeatLimbs = 6;
constexpr std::size_t kBeatBits = 384;

// Beats, and clocks, of a product whose length is `size`.
constexpr std::uint64_t product_beats(std::size_t size) {
  return std::uint64_t{256} << size;
}
constexpr std::size_t operand_bits(std::size_t size) {
  return product_beats(size) / 2 * kBeatBits;
}
static_assert(operand_bits(4) == 786432);

// Clocks from the first operand beat to the first beat of the product, as long for all lengths up
// to `longest`: three in queues, two of the carries; the transforms and what chooses among lengths,
// seven of the product, one register.
constexpr std::uint64_t first_beat(std::size_t longest) {
  const std::uint64_t far = product_beats(longest) - 256 + 9;
  const std::uint64_t forward = far + 5 * longest + 533 + 9 + 27;
  const std::uint64_t inverse = far + 6 * longest + 534 + 9 + 28 + 1;
  return 3 + 2 + 1 + forward + 7 + inverse;
}
static_assert(first_beat(4) == 8896);

struct Pair {
  std::string kind;
  std::size_t size = 0;
  Integer a, b;
  bool full = false;  // a comes in as many beats as the product
};

struct Run {
  Words* stalls = nullptr;  // both sides stall at its will
  std::uint64_t gap = 0;    // clocks without an offer between products
};

struct Result {
  std::vector<Integer> products;
  std::vector<std::uint64_t> ends;  // clocks from the first of the run to each last beat
  std::uint64_t stalls = 0;         // clocks in which a beat or a taker was missing
};

template <class Model>
class Multiplier {
 public:
  explicit Multiplier(std::size_t longest) {
    set_longest(longest);
    model_->points = 0;
    model_->in_valid = 0;
    model_->summing = 0;
    model_->out_ready = 0;
    model_.reset();
    model_.clock();
  }

  // Of the products to come.
  void set_longest(std::size_t longest) { model_->longest = static_cast<CData>(longest); }

  Result multiply(const std::vector<Pair>& pairs, const Run& run = {}) {
    begin(pairs);
    Result result;
    std::vector<std::uint64_t> limbs;
    for (std::uint64_t clock = 1; result.ends.size() < pairs.size(); ++clock) {
      if (clock > 100000 + 8 * product_beats(4) * pairs.size()) FAIL("no end");
      drive(run);
      count_stalls(result);
      if (model_->out_valid && model_->out_ready) {
        for (std::size_t i = 0; i < kBeatLimbs; ++i) limbs.push_back(limb(model_->product, i));
        const std::size_t beats = limbs.size() / kBeatLimbs;
        const bool last = beats == product_beats(pairs[result.ends.size()].size);
        if (model_->out_last != last) FAIL("out_last in beat " << beats);
        if (last) {
          result.products.push_back(integer_of(limbs));
          result.ends.push_back(clock);
          limbs.clear();
        }
      }
      move(run);
    }
    model_->in_valid = 0;
    model_.settle();
    CHECK(model_->busy == 0);
    CHECK(model_->out_valid == 0);
    return result;
  }

  // A stream that a reset ends after so many clocks.
  void abandon(const std::vector<Pair>& pairs, std::uint64_t clocks) {
    begin(pairs);
    for (std::uint64_t i = 0; i < clocks; ++i) {
      drive({});
      move({});
    }
    CHECK(model_->busy == 1);
    model_->in_valid = 0;
    model_.reset();
    CHECK(model_->busy == 0);
    CHECK(model_->out_valid == 0);
    model_.clock();
  }

 private:
  void begin(const std::vector<Pair>& pairs) {
    pairs_ = &pairs;
    next_ = 0;
    pause_ = 0;
    load();
  }

  void load() {
    at_ = 0;
    offered_ = false;
    if (next_ == pairs_->size()) return;
    const Pair& pair = (*pairs_)[next_];
    both_beats_ = product_beats(pair.size) / 2;
    beats_ = pair.full ? 2 * both_beats_ : both_beats_;
    a_ = limbs_of_integer(pair.a, beats_ * kBeatLimbs);
    b_ = limbs_of_integer(pair.b, both_beats_ * kBeatLimbs);
  }

  // Of b, which is not looked at where a comes alone.
  void set_b() {
    for (std::size_t i = 0; i < kBeatLimbs; ++i) {
      const std::size_t limb = kBeatLimbs * at_ + i;
      set_limb(model_->b_in, i, limb < b_.size() ? b_[limb] : noise_.random());
    }
  }

  // An offer stands until it is taken; ports that say nothing say it at random.
  void drive(const Run& run) {
    const bool willing = run.stalls == nullptr || run.stalls->below(4) != 0;
    offered_ = offered_ || (next_ < pairs_->size() && pause_ == 0 && willing);
    model_->in_valid = offered_;
    if (offered_) {
      set_limbs(model_->a_in, a_.data() + kBeatLimbs * at_);
      set_b();
    } else {
      for (std::size_t i = 0; i < kBeatLimbs; ++i) set_limb(model_->a_in, i, noise_.random());
    }
    const std::size_t size = offered_ && at_ == 0 ? (*pairs_)[next_].size : noise_.below(8);
    model_->in_size = static_cast<CData>(size);
    const bool full = offered_ && at_ == 0 ? (*pairs_)[next_].full : noise_.below(2) == 0;
    model_->in_full = static_cast<CData>(full);
    model_->out_ready = run.stalls == nullptr || run.stalls->below(4) != 0;
    model_.settle();
  }

  void count_stalls(Result& result) {
    result.stalls += (next_ < pairs_->size() && !model_->in_valid && model_->in_ready) ||
                     (model_->out_valid && !model_->out_ready);
  }

  void move(const Run& run) {
    const bool taken = model_->in_valid && model_->in_ready;
    pause_ -= pause_ != 0;
    model_.clock();
    if (!taken) return;
    offered_ = false;
    if (++at_ < beats_) return;
    ++next_;
    pause_ = run.gap;
    load();
  }

  Simulation<Model> model_;
  const std::vector<Pair>* pairs_ = nullptr;
  std::size_t next_ = 0, at_ = 0, beats_ = 0, both_beats_ = 0;
  std::uint64_t pause_ = 0;
  bool offered_ = false;
  std::vector<std::uint64_t> a_, b_;
  Words noise_{340};
};

Integer sparse(Operands& operands, std::size_t bits) {
  Integer x;
  for (int i = 0; i < 20; ++i) mpz_setbit(x.get_mpz_t(), operands.between(0, bits - 1));
  return x;
}

Pair pair_of(std::size_t kind, std::size_t size, Operands& operands) {
  const std::size_t bits = operand_bits(size);
  const Integer ones = all_ones(bits);
  switch (kind % 7) {
    case 0:
      return {"random", size, operands.bits(bits), operands.bits(bits)};
    case 1:
      return {"all ones", size, ones, ones};
    case 2:
      return {"carry chains", size, operands.runs(bits), operands.runs(bits)};
    case 3:
      return {"sparse by all ones", size, sparse(operands, bits), ones};
    case 4:
      return {"zero by all ones", size, 0, ones};
    case 5:
      return {"highest bits", size, Integer(1) << (bits - 1), Integer(1) << (bits - 1)};
    default:
      return {"short", size, operands.bits(100), operands.bits(bits / 3)};
  }
}

// With a that fills all digits but those of b, of which there are `digits`.
Pair full_pair(std::size_t size, std::size_t digits, Operands& operands) {
  const std::size_t b_bits = 24 * digits;
  const std::size_t a_bits = 2 * operand_bits(size) - b_bits;
  const bool ones = operands.coin();
  return {.kind = "full by " + std::to_string(digits) + " digits",
          .size = size,
          .a = ones ? all_ones(a_bits) : operands.bits(a_bits),
          .b = ones ? all_ones(b_bits) : operands.bits(b_bits),
          .full = true};
}

std::vector<Pair> pairs_of(std::uint64_t seed, const std::vector<std::size_t>& sizes) {
  Operands operands(seed);
  std::vector<Pair> pairs;
  for (const std::size_t size : sizes) pairs.push_back(pair_of(pairs.size(), size, operands));
  return pairs;
}

void check_products(const Result& result, const std::vector<Pair>& pairs) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    INFO("product " << i << ": " << pairs[i].kind << ", size " << pairs[i].size);
    CHECK(result.products[i] == Integer(pairs[i].a * pairs[i].b));
  }
}

// While no side stalls, the products leave without a clock between them.
void check_clocks(const Result& result, const std::vector<Pair>& pairs, std::size_t longest) {
  CHECK(result.stalls == 0);
  std::uint64_t end = first_beat(longest) - 1;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    INFO("product " << i << ", size " << pairs[i].size);
    end += product_beats(pairs[i].size);
    CHECK(result.ends[i] == end);
  }
}

using Short = Multiplier<MultiplierThroughput13>;
using Long = Multiplier<MultiplierThroughput16>;

}  // namespace

TEST_CASE("rtl multiplier_throughput: 8192 points at most, one product each 256 or 512 clocks",
          "[rtl]") {
  const std::vector<Pair> pairs = pairs_of(341, {1, 0, 0, 1, 0, 1, 1, 0});
  Short multiplier(1);
  for (int repeat = 0; repeat < 2; ++repeat) {
    const Result result = multiplier.multiply(pairs);
    check_products(result, pairs);
    check_clocks(result, pairs, 1);
  }
}

TEST_CASE("rtl multiplier_throughput: full operands by short ones, in the same clocks", "[rtl]") {
  Operands operands(361);
  std::vector<Pair> pairs = pairs_of(362, {0, 1});
  for (const std::size_t digits : {1U, 40U, 43U, 2048U}) {
    pairs.push_back(full_pair(0, digits, operands));
    pairs.push_back(full_pair(1, digits, operands));
    pairs.push_back(pair_of(digits, digits % 2, operands));
  }
  pairs.push_back(full_pair(1, 4096, operands));
  Short multiplier(1);
  const Result result = multiplier.multiply(pairs);
  check_products(result, pairs);
  check_clocks(result, pairs, 1);
  Words stalls(363);
  check_products(multiplier.multiply(pairs, {.stalls = &stalls}), pairs);
  multiplier.abandon(pairs, 700);
  check_products(multiplier.multiply(pairs, {.gap = 5}), pairs);
}

TEST_CASE("rtl multiplier_throughput: stalls of either side add at most their own clocks",
          "[rtl]") {
  const std::vector<Pair> pairs = pairs_of(342, {0, 1, 1, 0, 0, 0});
  Words stalls(343);
  Short multiplier(1);
  const Result free = multiplier.multiply(pairs);
  const Result stalled = multiplier.multiply(pairs, {.stalls = &stalls});
  check_products(stalled, pairs);
  CHECK(stalled.stalls > 0);
  CHECK(stalled.ends.back() > free.ends.back());
  CHECK(stalled.ends.back() <= free.ends.back() + stalled.stalls);
}

TEST_CASE("rtl multiplier_throughput: products with pauses between them", "[rtl]") {
  const std::vector<Pair> pairs = pairs_of(344, {1, 0, 1});
  Short multiplier(1);
  for (const std::uint64_t gap : {1U, 137U, 700U}) {
    INFO("gap " << gap);
    const Result result = multiplier.multiply(pairs, {.gap = gap});
    check_products(result, pairs);
    CHECK(result.ends[0] == first_beat(1) - 1 + product_beats(1));
  }
}

TEST_CASE("rtl multiplier_throughput: a reset ends a stream at any moment", "[rtl]") {
  const std::vector<Pair> abandoned = pairs_of(345, {1, 1, 0, 1, 1});
  const std::vector<Pair> pairs = pairs_of(346, {0, 1});
  Short multiplier(1);
  // In operands, between them, before the first product leaves, while products leave.
  for (const std::uint64_t clocks : {1U, 2U, 100U, 515U, 1690U, 1900U}) {
    INFO("after " << clocks << " clocks");
    multiplier.abandon(abandoned, clocks);
    const Result result = multiplier.multiply(pairs);
    check_products(result, pairs);
    check_clocks(result, pairs, 1);
  }
}

TEST_CASE("rtl multiplier_throughput: 65,536 points at most, products of every length", "[rtl]") {
  const std::vector<Pair> pairs = pairs_of(347, {4, 0, 3, 1, 2, 4, 4, 0, 0, 2, 1, 3, 4, 0});
  Long multiplier(4);
  const Result result = multiplier.multiply(pairs);
  check_products(result, pairs);
  check_clocks(result, pairs, 4);
  CHECK(result.ends[6] - result.ends[5] == 4096);  // 786,432 bits
}

TEST_CASE("rtl multiplier_throughput: stalls and resets at 65,536 points", "[rtl]") {
  const std::vector<Pair> pairs = pairs_of(348, {0, 4, 2, 4, 1});
  Words stalls(349);
  Long multiplier(4);
  multiplier.abandon(pairs, 12000);
  const Result stalled = multiplier.multiply(pairs, {.stalls = &stalls});
  check_products(stalled, pairs);
}

TEST_CASE("rtl multiplier_throughput: short products do not go through the stages of long ones",
          "[rtl]") {
  Long multiplier(0);
  for (const std::size_t longest : {0U, 2U, 1U, 3U, 0U, 4U}) {
    INFO("longest " << longest);
    multiplier.set_longest(longest);
    const std::vector<Pair> pairs = pairs_of(352 + longest, {0, longest, longest / 2, 0});
    const Result result = multiplier.multiply(pairs);
    check_products(result, pairs);
    check_clocks(result, pairs, longest);
  }
}

TEST_CASE("rtl multiplier_throughput: what a reset leaves in long stages does not come back",
          "[rtl]") {
  const std::vector<Pair> longs = pairs_of(358, {4, 4, 4});
  const std::vector<Pair> shorts = pairs_of(359, {0});
  Long multiplier(4);
  multiplier.abandon(longs, 9000);
  multiplier.set_longest(0);
  check_products(multiplier.multiply(shorts), shorts);
  multiplier.set_longest(4);
  const Result result = multiplier.multiply(longs);
  check_products(result, longs);
  check_clocks(result, longs, 4);
}

TEST_CASE("rtl multiplier_throughput: many products of random lengths", "[rtl][long]") {
  Words words(350);
  std::vector<std::size_t> sizes(60);
  for (std::size_t& size : sizes) size = words.below(5);
  const std::vector<Pair> pairs = pairs_of(351, sizes);
  Long multiplier(4);
  const Result free = multiplier.multiply(pairs);
  check_products(free, pairs);
  check_clocks(free, pairs, 4);
  const Result stalled = multiplier.multiply(pairs, {.stalls = &words, .gap = 40});
  check_products(stalled, pairs);
}
