// SPDX-License-Identifier: Apache-2.0
// Sums of products with weights by multiplier_throughput, added up as spectra, against GMP, and
// their clocks.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "MultiplierThroughput13.h"
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

constexpr std::size_t kLimbsOfBeat = 6;
constexpr std::size_t kTermBeats = 256;
constexpr std::size_t kWeightBeats = 8;
constexpr std::size_t kWeightBits = 24 * 128;
constexpr std::size_t kTermBits = 24 * (4096 - 129);  // a digit is left for the carries of a sum

// From the first beat of the last term of a sum to the first one of the sum: a product takes 1,172.
constexpr std::uint64_t kSumLatency = 1172 + 5;

struct Term {
  Integer a, b, weight;
};
using Sum = std::vector<Term>;

class Summer {
 public:
  Summer() {
    model_->in_valid = 0;
    model_->out_ready = 0;
    model_->points = 0;
    model_->summing = 1;
    model_->longest = 0;
    model_->in_full = 0;
    model_.reset();
    model_.clock();
  }

  // Checks both sums of each of these, and says in which clocks their last beats came.
  std::vector<std::uint64_t> run(const std::vector<Sum>& sums, Words* stalls = nullptr) {
    begin(sums);
    std::vector<std::uint64_t> ends;
    std::vector<std::uint64_t> limbs;
    for (std::uint64_t clock = 1; ends.size() < 2 * sums.size(); ++clock) {
      if (clock > 20000 + 1000 * left_) FAIL("no end");
      drive(stalls);
      if (model_->out_valid && model_->out_ready) {
        for (std::size_t i = 0; i < kLimbsOfBeat; ++i) limbs.push_back(limb(model_->product, i));
        const bool last = limbs.size() == kLimbsOfBeat * kTermBeats;
        if (model_->out_last != last) FAIL("out_last");
        if (last) {
          check(sums[ends.size() / 2], ends.size() % 2 == 0, integer_of(limbs));
          ends.push_back(clock);
          limbs.clear();
        }
      }
      move();
    }
    model_->in_valid = 0;
    model_.settle();
    CHECK(model_->busy == 0);
    CHECK(model_->out_valid == 0);
    return ends;
  }

  void abandon(const std::vector<Sum>& sums, std::uint64_t clocks) {
    begin(sums);
    for (std::uint64_t i = 0; i < clocks; ++i) drive(nullptr), move();
    model_->in_valid = 0;
    model_.reset();
    CHECK(model_->busy == 0);
    CHECK(model_->out_valid == 0);
    model_.clock();
  }

  // One product of numbers of half of the digits, between sums.
  void multiply(const Integer& a, const Integer& b) {
    model_->summing = 0;
    const auto a_limbs = limbs_of_integer(a, kTermBeats * kLimbsOfBeat);
    const auto b_limbs = limbs_of_integer(b, kTermBeats * kLimbsOfBeat);
    std::vector<std::uint64_t> limbs;
    for (std::size_t at = 0, clock = 0; limbs.size() < kTermBeats * kLimbsOfBeat; ++clock) {
      if (clock > 5000) FAIL("no product");
      model_->in_valid = at < kTermBeats / 2;
      model_->in_size = 0;
      if (model_->in_valid) {
        set_limbs(model_->a_in, a_limbs.data() + kLimbsOfBeat * at);
        set_limbs(model_->b_in, b_limbs.data() + kLimbsOfBeat * at);
      }
      model_->out_ready = 1;
      model_.settle();
      at += model_->in_valid && model_->in_ready;
      for (std::size_t i = 0; model_->out_valid && i < kLimbsOfBeat; ++i)
        limbs.push_back(limb(model_->product, i));
      model_.clock();
    }
    CHECK(integer_of(limbs) == Integer(a * b));
    model_->in_valid = 0;
    model_->summing = 1;
  }

 private:
  static void check(const Sum& sum, bool is_first, const Integer& result) {
    Integer exact;
    for (const Term& term : sum) exact += (is_first ? term.a : term.b) * term.weight;
    CHECK(result == exact);
  }

  void begin(const std::vector<Sum>& sums) {
    sums_ = &sums;
    sum_ = term_ = at_ = 0;
    left_ = 0;
    for (const Sum& sum : sums) left_ += sum.size() + 1;
    offered_ = false;
    load();
  }

  [[nodiscard]] bool is_done() const { return sum_ == sums_->size(); }

  void load() {
    if (is_done()) return;
    const Term& term = (*sums_)[sum_][term_];
    a_ = limbs_of_integer(term.a, kTermBeats * kLimbsOfBeat);
    b_ = limbs_of_integer(term.b, kTermBeats * kLimbsOfBeat);
    weight_ = limbs_of_integer(term.weight, kWeightBeats * kLimbsOfBeat);
  }

  // Ports that say nothing say it at random.
  void drive(Words* stalls) {
    const bool willing = stalls == nullptr || stalls->below(4) != 0;
    offered_ = offered_ || (!is_done() && willing);
    model_->in_valid = offered_;
    for (std::size_t i = 0; i < kLimbsOfBeat; ++i) {
      const std::size_t place = kLimbsOfBeat * at_ + i;
      set_limb(model_->a_in, i, offered_ ? a_[place] : noise_.random());
      set_limb(model_->b_in, i, offered_ ? b_[place] : noise_.random());
      set_limb(model_->w_in, i, offered_ && at_ < kWeightBeats ? weight_[place] : noise_.random());
    }
    const bool begins = offered_ && at_ == 0;
    model_->in_size = static_cast<CData>(begins ? 0 : noise_.below(8));
    model_->in_first = static_cast<CData>(begins ? term_ == 0 : noise_.coin());
    model_->in_last =
        static_cast<CData>(begins ? term_ + 1 == (*sums_)[sum_].size() : noise_.coin());
    model_->out_ready = stalls == nullptr || stalls->below(4) != 0;
    model_.settle();
  }

  void move() {
    const bool taken = model_->in_valid && model_->in_ready;
    model_.clock();
    if (!taken) return;
    offered_ = false;
    if (++at_ < kTermBeats) return;
    at_ = 0;
    if (++term_ == (*sums_)[sum_].size()) ++sum_, term_ = 0;
    load();
  }

  Simulation<MultiplierThroughput13> model_;
  const std::vector<Sum>* sums_ = nullptr;
  std::size_t sum_ = 0, term_ = 0, at_ = 0, left_ = 0;
  bool offered_ = false;
  std::vector<std::uint64_t> a_, b_, weight_;
  Words noise_{360};
};

Sum random_sum(Operands& operands, std::size_t terms, std::size_t weight_bits = kWeightBits) {
  Sum sum;
  for (std::size_t i = 0; i < terms; ++i)
    sum.push_back({operands.runs(kTermBits), operands.bits(kTermBits), operands.bits(weight_bits)});
  return sum;
}

Sum ones(std::size_t terms) {
  return Sum(terms, {all_ones(kTermBits), all_ones(kTermBits), all_ones(kWeightBits)});
}

}  // namespace

TEST_CASE("rtl multiplier_throughput: sums of products with weights", "[rtl]") {
  Operands operands(361);
  Summer summer;
  std::vector<Sum> sums;
  for (const std::size_t terms : {1U, 2U, 3U, 6U, 1U, 1U})
    sums.push_back(random_sum(operands, terms));
  for (const std::size_t bits : {0U, 1U, 24U, 936U, 1536U, 1537U, 2556U})
    sums.push_back(random_sum(operands, 2, bits));
  sums.push_back(ones(8));
  sums.push_back({{0, all_ones(kTermBits), all_ones(kWeightBits)}});
  sums.push_back({{1, Integer(1) << (kTermBits - 1), Integer(1) << (kWeightBits - 1)}});
  // A term takes 256 clocks, and so do the zeros after the last one, in which the second sum
  // leaves.
  std::uint64_t end = kSumLatency - 1;
  const std::vector<std::uint64_t> ends = summer.run(sums);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    end += kTermBeats * sums[i].size();
    CHECK(ends[2 * i] == end);
    end += kTermBeats;
    CHECK(ends[2 * i + 1] == end);
  }
}

TEST_CASE("rtl multiplier_throughput: sums with stalls, resets and products between them",
          "[rtl]") {
  Operands operands(362);
  Words stalls(363);
  Summer summer;
  const std::vector<Sum> sums = {random_sum(operands, 2), random_sum(operands, 1),
                                 random_sum(operands, 3)};
  summer.run(sums, &stalls);
  for (const std::uint64_t clocks : {1U, 5U, 255U, 600U, 900U, 1300U, 1600U, 2000U}) {
    summer.abandon(sums, clocks);
    if (clocks % 2 == 0) summer.run({random_sum(operands, 1)});
    if (clocks % 3 == 0) summer.multiply(operands.bits(49152), all_ones(49152));
  }
  summer.multiply(operands.bits(49152), operands.bits(49152));
  summer.run(sums);
  summer.multiply(all_ones(49152), all_ones(49152));
  summer.run({ones(1)});
}

// The column bound: 2^16 products of digits.
TEST_CASE("rtl multiplier_throughput: a sum of as many terms as columns hold", "[rtl][long]") {
  Summer summer;
  summer.run({ones(512), ones(512)});
}
