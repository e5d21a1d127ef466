// SPDX-License-Identifier: Apache-2.0
// Whoever multiplies block by block as product_blocks says gets the product, here in words of 16
// bits.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <gmpxx.h>

#include "ProductBlocks.h"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::test::Simulation;
using fhe::test::Words;

constexpr std::uint32_t kHalf = 1536;
constexpr std::uint32_t kProduct = 2 * kHalf;
constexpr std::uint32_t kWordBits = 16;

struct Shape {
  std::uint32_t long_words, short_words, destination_words;
  bool accumulate;
  bool b_longer = false;  // the second operand is the longer one
};

struct Block {
  std::uint32_t long_at, long_count, short_at, short_count, at, result_words, old_words;
  bool full_load, last;
};

Block shown(Simulation<ProductBlocks>& blocks, bool b_longer) {
  Block block{.long_at = blocks->a_at,
              .long_count = blocks->a_count,
              .short_at = blocks->b_at,
              .short_count = blocks->b_count,
              .at = blocks->at,
              .result_words = blocks->result_words,
              .old_words = blocks->old_words,
              .full_load = blocks->full_load != 0,
              .last = blocks->last != 0};
  if (b_longer) {
    std::swap(block.long_at, block.short_at);
    std::swap(block.long_count, block.short_count);
  }
  return block;
}

// One clock with `signal`, then those until a block is shown.
void show(Simulation<ProductBlocks>& blocks, CData& signal) {
  signal = 1;
  blocks.clock();
  signal = 0;
  for (int clock = 0; clock < 2; ++clock) {
    CHECK(blocks->valid == 0);
    blocks.clock();
  }
  REQUIRE(blocks->valid == 1);
}

void reset(Simulation<ProductBlocks>& blocks) {
  blocks->start = blocks->next = 0;
  blocks.reset();
}

std::vector<Block> all_blocks(Simulation<ProductBlocks>& blocks, const Shape& shape) {
  blocks->accumulate = shape.accumulate;
  blocks->a_words = shape.b_longer ? shape.short_words : shape.long_words;
  blocks->b_words = shape.b_longer ? shape.long_words : shape.short_words;
  blocks->destination_words = shape.destination_words;
  show(blocks, blocks->start);
  std::vector<Block> result{shown(blocks, shape.b_longer)};
  while (!result.back().last && result.size() < 10'000) {
    blocks.clocks(3);
    CHECK(blocks->valid == 1);
    show(blocks, blocks->next);
    result.push_back(shown(blocks, shape.b_longer));
  }
  blocks->next = 1;
  blocks.clock();
  blocks->next = 0;
  CHECK(blocks->valid == 0);
  return result;
}

mpz_class words_at(const mpz_class& x, std::uint32_t at, std::uint32_t count) {
  mpz_class part;
  mpz_fdiv_q_2exp(part.get_mpz_t(), x.get_mpz_t(), std::size_t{at} * kWordBits);
  mpz_fdiv_r_2exp(part.get_mpz_t(), part.get_mpz_t(), std::size_t{count} * kWordBits);
  return part;
}

mpz_class shifted(const mpz_class& x, std::uint32_t words) {
  return x << (std::size_t{words} * kWordBits);
}

struct Sum {
  mpz_class destination;
  bool carry = false;
};

// One block after the other: `old_words` words are kept, all that is written replaces what was
// there.
Sum multiply(const std::vector<Block>& blocks, const Shape& shape, const mpz_class& x,
             const mpz_class& y, mpz_class destination) {
  bool carry = false;
  for (const Block& block : blocks) {
    const mpz_class sum = words_at(destination, block.at, block.old_words) +
                          words_at(x, block.long_at, block.long_count) *
                              words_at(y, block.short_at, block.short_count);
    const mpz_class kept = words_at(sum, 0, block.result_words);
    // Nothing is lost below the end of the destination.
    if (block.at + block.result_words < shape.destination_words) CHECK(sum == kept);
    carry = carry || sum != kept;
    destination += shifted(kept - words_at(destination, block.at, block.result_words), block.at);
  }
  return {destination, carry};
}

mpz_class some_integer(Words& words, std::uint32_t count) {
  const mpz_class all_ones = shifted(1, count) - 1;
  if (words.coin()) return all_ones;
  std::vector<std::uint64_t> limbs(count / 4 + 1);
  for (std::uint64_t& limb : limbs) limb = words.random();
  return words_at(fhe::test::integer_of(limbs), 0, count);
}

void check_sizes(const std::vector<Block>& blocks, const Shape& shape) {
  std::uint32_t before = 0;
  for (const Block& block : blocks) {
    CHECK(block.at == block.long_at + block.short_at);
    CHECK(block.at >= before);
    CHECK(block.long_count + block.short_count <= kProduct);
    CHECK(block.short_count <= kHalf);
    CHECK(block.full_load == (block.long_count > kHalf));
    CHECK(block.old_words <= block.result_words);
    if (!shape.accumulate && !block.last) CHECK(block.result_words <= kProduct + 1);
    before = block.at;
  }
  const std::uint32_t step = shape.short_words > kHalf ? kHalf : kProduct - shape.short_words;
  const auto pieces = [&](std::uint32_t count) { return std::max(1U, (count + step - 1) / step); };
  if (shape.destination_words >= shape.long_words + shape.short_words)
    CHECK(blocks.size() == pieces(shape.long_words) * pieces(shape.short_words));
}

void check(Simulation<ProductBlocks>& model, const Shape& shape, Words& words) {
  CAPTURE(shape.long_words, shape.short_words, shape.destination_words, shape.accumulate);
  const std::vector<Block> blocks = all_blocks(model, shape);
  check_sizes(blocks, shape);
  const mpz_class x = some_integer(words, shape.long_words);
  const mpz_class y = some_integer(words, shape.short_words);
  const mpz_class before = some_integer(words, shape.destination_words);
  const Sum sum = multiply(blocks, shape, x, y, before);
  const mpz_class expected = x * y + (shape.accumulate ? before : mpz_class(0));
  const mpz_class kept = words_at(expected, 0, shape.destination_words);
  CHECK(sum.destination == kept);
  if (shape.destination_words >= shape.long_words + shape.short_words)
    CHECK(sum.carry == (expected != kept));
}

}  // namespace

TEST_CASE("rtl product_blocks: the blocks of products at every edge", "[rtl]") {
  Simulation<ProductBlocks> model;
  reset(model);
  Words words(301);
  const std::vector<std::uint32_t> lengths{0,    1,    2,    1535, 1536, 1537,
                                           3071, 3072, 3073, 4607, 4608, 4609};
  for (const std::uint32_t long_words : lengths) {
    for (const std::uint32_t short_words : lengths) {
      if (short_words > long_words) continue;
      const std::uint32_t sum = std::max(1U, long_words + short_words);
      for (const bool accumulate : {false, true}) {
        for (const std::uint32_t more : {0U, 1U, 5000U})
          for (const bool b_longer : {false, short_words != long_words})
            check(model, {long_words, short_words, sum + more, accumulate, b_longer}, words);
      }
    }
  }
}

TEST_CASE("rtl product_blocks: random lengths, and destinations that cut a product", "[rtl]") {
  Simulation<ProductBlocks> model;
  reset(model);
  Words words(302);
  for (int round = 0; round < 300; ++round) {
    const auto a = static_cast<std::uint32_t>(words.below(words.coin() ? 12'000 : 2000));
    const auto b = static_cast<std::uint32_t>(words.below(words.coin() ? 12'000 : 2000));
    const Shape whole{std::max(a, b), std::min(a, b),
                      a + b + 1 + static_cast<std::uint32_t>(words.below(3000)), words.coin()};
    check(model, whole, words);
    Shape swapped = whole;
    swapped.b_longer = whole.long_words != whole.short_words;
    check(model, swapped, words);
    Shape cut = whole;
    cut.destination_words = 1 + static_cast<std::uint32_t>(words.below(a + b + 1));
    cut.accumulate = false;
    check(model, cut, words);
  }
}
