// SPDX-License-Identifier: Apache-2.0
// Arithmetic modulo p = 2^64 - 2^32 + 1 and modulo 2^192 - 1, one value per clock, against GMP.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "EndAroundAdd.h"
#include "EndAroundAddThree.h"
#include "GoldilocksCorrect.h"
#include "GoldilocksMultiply.h"
#include "GoldilocksNormalize.h"
#include "GoldilocksReduce.h"
#include "GoldilocksSumDifference.h"
#include "SplitProduct8.h"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/pipeline.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::test::add_mod;
using fhe::test::check_pipeline;
using fhe::test::integer_of;
using fhe::test::kModulus;
using fhe::test::limb;
using fhe::test::multiply_mod;
using fhe::test::set_limbs;
using fhe::test::Simulation;
using fhe::test::Words;
using Limbs = std::vector<std::uint64_t>;

constexpr std::size_t kTrials = 20000;

Limbs some_words(Words& words, std::size_t count) {
  Limbs result(count);
  for (std::uint64_t& word : result) word = words.word();
  return result;
}

std::uint64_t mod_p(const mpz_class& value) {
  const mpz_class residue = value % mpz_class(integer_of(Limbs{kModulus}));
  return mpz_get_ui(residue.get_mpz_t());
}

std::uint64_t mod_p(const Limbs& value) {
  return mod_p(integer_of(value));
}

}  // namespace

TEST_CASE("rtl goldilocks_correct: 66 bits with their sign modulo p", "[rtl]") {
  Simulation<GoldilocksCorrect> correct;
  Words words(31);
  check_pipeline(
      correct, 2, kTrials,
      [&] {
        const std::uint64_t low = words.word();
        const std::uint64_t high = words.below(4);  // -2 and -1 as 2 and 3
        correct->value[0] = static_cast<EData>(low);
        correct->value[1] = static_cast<EData>(low >> 32);
        correct->value[2] = static_cast<EData>(high);
        // high 2^64 + low, and p 2^64 more if that is negative: a multiple of p
        return mod_p({low, high < 2 ? high : high - 4 + kModulus});
      },
      [&] { return correct->residue; });
}

TEST_CASE("rtl goldilocks_reduce: four products modulo p in four clocks", "[rtl]") {
  Simulation<GoldilocksReduce> reduce;
  Words words(1);
  check_pipeline(
      reduce, 4, kTrials,
      [&] {
        reduce->low_low = words.word();
        reduce->low_high = words.word();
        reduce->high_low = words.word();
        reduce->high_high = words.word();
        const mpz_class middle =
            integer_of(Limbs{reduce->low_high}) + integer_of(Limbs{reduce->high_low});
        return mod_p(integer_of(Limbs{reduce->low_low, reduce->high_high}) + (middle << 32));
      },
      [&] { return reduce->residue; });
}

TEST_CASE("rtl split_product: all products of 8 bits out of products of quarters", "[rtl]") {
  Simulation<SplitProduct8> split;
  std::uint32_t pair = 0;
  check_pipeline(
      split, 4, 1 << 16,
      [&] {
        split->a = pair & 255;
        split->b = static_cast<CData>(pair >> 8);
        ++pair;
        return std::uint32_t{split->a} * split->b;
      },
      [&] { return std::uint32_t{split->product}; });
}

TEST_CASE("rtl goldilocks_multiply: products modulo p in seven clocks", "[rtl]") {
  Simulation<GoldilocksMultiply> multiply;
  Words words(2);
  check_pipeline(
      multiply, 7, kTrials,
      [&] {
        multiply->a = words.word();
        multiply->b = words.word();
        return multiply_mod(multiply->a, multiply->b);
      },
      [&] { return multiply->product; });
}

TEST_CASE("rtl goldilocks_sum_difference: both modulo p in two clocks", "[rtl]") {
  Simulation<GoldilocksSumDifference> butterfly;
  Words words(5);
  check_pipeline(
      butterfly, 2, kTrials,
      [&] {
        const std::uint64_t a = butterfly->a = words.residue();
        const std::uint64_t b = butterfly->b = words.residue();
        return Limbs{add_mod(a, b), add_mod(a, kModulus - b)};
      },
      [&] {
        return Limbs{butterfly->sum, butterfly->difference};
      });
}

TEST_CASE("rtl goldilocks_normalize: 192 bits modulo p in three clocks", "[rtl]") {
  Simulation<GoldilocksNormalize> normalize;
  Words words(3);
  check_pipeline(
      normalize, 3, kTrials,
      [&] {
        const Limbs value = some_words(words, 3);
        set_limbs(normalize->value, value);
        return mod_p(value);
      },
      [&] { return normalize->residue; });
}

TEMPLATE_TEST_CASE("rtl end_around_add: sums modulo 2^192 - 1", "[rtl]", EndAroundAdd,
                   EndAroundAddThree) {
  const std::size_t latency = std::is_same_v<TestType, EndAroundAdd> ? 2 : 3;
  const mpz_class ones = (mpz_class(1) << 192) - 1;
  Simulation<TestType> add;
  Words words(4);
  check_pipeline(
      add, latency, kTrials,
      [&] {
        // Every third time a and its complement, plus or minus a bit: the carry runs far.
        Limbs a = some_words(words, 3);
        Limbs b = some_words(words, 3);
        if (words.below(3) == 0) {
          for (std::size_t i = 0; i < 3; ++i) b[i] = ~a[i];
          b[words.below(3)] ^= words.coin() ? std::uint64_t{1} << words.below(64) : 0;
        }
        set_limbs(add->a, a);
        set_limbs(add->b, b);
        return mpz_class((integer_of(a) + integer_of(b)) % ones);
      },
      [&] {
        const Limbs sum = {limb(add->sum, 0), limb(add->sum, 1), limb(add->sum, 2)};
        return mpz_class(integer_of(sum) % ones);
      });
}
