// SPDX-License-Identifier: Apache-2.0
// Columns to digits: against the sum of the columns, each with its weight.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ResolveCarries.h"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::test::integer_of;
using fhe::test::limb;
using fhe::test::set_limb;
using fhe::test::set_limbs;
using fhe::test::Simulation;
using fhe::test::Words;
using Limbs = std::vector<std::uint64_t>;

constexpr std::size_t kColumns = 16;          // a beat
constexpr std::size_t kDigitLimbs = 6;        // a beat
constexpr std::uint64_t kLargest = 0xffffff;  // digit

enum class Kind { random, ones, single, chain, sparse };
constexpr std::array kKinds = {Kind::random, Kind::ones, Kind::single, Kind::chain, Kind::sparse};

// Columns of one product.
Limbs columns_of(Kind kind, std::size_t beats, Words& words) {
  Limbs columns(beats * kColumns);
  const auto fill = [&](auto&& value) {
    for (std::uint64_t& column : columns) column = value();
  };
  switch (kind) {
    case Kind::random:
      fill([&] { return words.word(); });
      break;
    case Kind::ones:
      fill([] { return ~std::uint64_t{0}; });
      break;
    case Kind::single:
      columns[words.below(columns.size())] = std::uint64_t{1} << words.below(64);
      break;
    case Kind::chain:  // a carry that runs from end to end, with breaks now and then
      fill([&] { return words.below(40) == 0 ? words.below(kLargest) : kLargest; });
      columns[0] += 1;
      break;
    case Kind::sparse:
      fill([&] { return words.below(8) == 0 ? words.word() : 0; });
      break;
  }
  return columns;
}

// sum of c(i) 2^(24 i) modulo the length of the columns
mpz_class value_of(const Limbs& columns) {
  mpz_class sum;
  for (std::size_t i = columns.size(); i-- > 0;) sum = (sum << 24) + integer_of(Limbs{columns[i]});
  mpz_class result;
  mpz_fdiv_r_2exp(result.get_mpz_t(), sum.get_mpz_t(), 24 * columns.size());
  return result;
}

class Resolver {
 public:
  Resolver() {
    model_->advance = 1;
    model_->in_valid = 0;
    model_.reset();
  }

  void reset() {
    model_.reset();
    digits_.clear();
  }

  // Beats of a product, with clocks between them and holds if `words` says so.
  void feed(const Limbs& columns, Words* words) {
    for (std::size_t at = 0; at < columns.size(); at += kColumns) {
      while (words != nullptr && words->below(3) == 0) {
        model_->in_first = words->coin();
        for (std::size_t i = 0; i < kColumns; ++i) set_limb(model_->columns, i, words->random());
        clock(false, words);
      }
      set_limbs(model_->columns, columns.data() + at);
      model_->in_first = at == 0;
      clock(true, words);
    }
  }

  // The digits of all that was fed since the last call.
  mpz_class take() {
    clock(false, nullptr);
    clock(false, nullptr);
    clock(false, nullptr);
    const mpz_class result = integer_of(digits_);
    digits_.clear();
    return result;
  }

 private:
  void clock(bool valid, Words* words) {
    model_->in_valid = valid;
    do {
      model_->advance = words == nullptr || words->coin();
      if (model_->advance && model_->out_valid) {
        for (std::size_t i = 0; i < kDigitLimbs; ++i) digits_.push_back(limb(model_->digits, i));
      }
      model_.clock();
    } while (!model_->advance);
  }

  Simulation<ResolveCarries> model_;
  Limbs digits_;
};

}  // namespace

TEST_CASE("rtl resolve_carries: every kind of columns", "[rtl]") {
  Words words(13);
  Resolver resolver;
  for (const Kind kind : kKinds) {
    for (int repeat = 0; repeat < 40; ++repeat) {
      const Limbs columns = columns_of(kind, 1 + words.below(12), words);
      resolver.feed(columns, repeat % 2 == 0 ? nullptr : &words);
      INFO("kind " << static_cast<int>(kind) << ", " << columns.size() << " columns");
      REQUIRE(resolver.take() == value_of(columns));
    }
  }
}

TEST_CASE("rtl resolve_carries: products without a clock between them keep apart", "[rtl]") {
  Words words(14);
  Resolver resolver;
  mpz_class expected;
  std::size_t bits = 0;
  for (int i = 0; i < 30; ++i) {
    const Limbs columns = columns_of(kKinds[words.below(kKinds.size())], 1 + words.below(3), words);
    expected += value_of(columns) << bits;
    bits += 24 * columns.size();
    resolver.feed(columns, nullptr);
  }
  CHECK(resolver.take() == expected);
}

TEST_CASE("rtl resolve_carries: a reset forgets the beats under way", "[rtl]") {
  Words words(15);
  Resolver resolver;
  resolver.feed(columns_of(Kind::ones, 4, words), nullptr);
  resolver.reset();
  const Limbs columns = columns_of(Kind::chain, 5, words);
  resolver.feed(columns, nullptr);
  CHECK(resolver.take() == value_of(columns));
}
