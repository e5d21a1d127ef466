// SPDX-License-Identifier: Apache-2.0
// Products of the super-size multiplier modulo each of the four moduli, and its reductions. Those
// with 64 points modulo numbers of 32 bits are in super_size_64_test.cpp.
#include <cstddef>
#include <vector>

#include "SuperSize16Barrett.h"
#include "SuperSize16Fermat32.h"
#include "SuperSize16Fermat64.h"
#include "SuperSize16Solinas.h"
#include "SuperSize32Barrett.h"
#include "SuperSize32Fermat32.h"
#include "SuperSize32Fermat64.h"
#include "SuperSize32Solinas.h"
#include "SuperSize64Fermat64.h"
#include "SuperSize64Solinas.h"
#include "tests/accel/fpga/rtl/super_size_products.hpp"

namespace fhe::test {

namespace {

// Awkward moduli of exactly so many bits.
std::vector<Integer> some_moduli(Operands& operands, std::size_t bits) {
  return {power_of_two(bits - 1), power_of_two(bits - 1) + 1, all_ones(bits),
          operands.exactly(bits), power_of_two(bits - 1) + operands.runs(bits - 1)};
}

// Operands below 2^(phi + gamma): at its ends, next to multiples of the modulus, random.
std::vector<Integer> some_values(Operands& operands, const Reduction& reduction) {
  const std::size_t bits = reduction.modulus_bits + reduction.excess_bits;
  const Integer multiple = all_ones(bits) / reduction.modulus * reduction.modulus;
  const Integer other = operands.bits(reduction.excess_bits) * reduction.modulus;
  return {0,
          reduction.modulus - 1,
          reduction.modulus,
          multiple,
          multiple - 1,
          all_ones(bits),
          other,
          low_bits(other + reduction.modulus - 1, bits),
          operands.bits(bits),
          operands.runs(bits)};
}

Reduction some_reduction(Operands& operands, std::size_t word) {
  Reduction reduction;
  reduction.modulus_bits = operands.between(3, 8 * word);
  reduction.excess_bits = operands.between(1, 3 * word);
  reduction.long_reciprocal = operands.coin();
  return reduction;
}

}  // namespace

TEST_CASE("rtl super_size: products modulo 2^32 + 1", "[rtl]") {
  check_products<SuperSize16Fermat32>({.points = 16, .digit = 8}, kManyLengths);
  check_products<SuperSize32Fermat32>({.points = 32, .digit = 8}, kManyLengths);
}

TEST_CASE("rtl super_size: products modulo 2^32 - 2^20 + 1", "[rtl]") {
  check_products<SuperSize16Barrett>({.points = 16, .digit = 12}, kManyLengths);
  check_products<SuperSize32Barrett>({.points = 32, .digit = 12}, kManyLengths);
}

TEST_CASE("rtl super_size: products modulo 2^64 + 1", "[rtl]") {
  check_products<SuperSize16Fermat64>({.points = 16, .digit = 24}, kManyLengths);
  check_products<SuperSize32Fermat64>({.points = 32, .digit = 24}, kManyLengths);
  check_products<SuperSize64Fermat64>({.points = 64, .digit = 24}, kFewLengths);
}

TEST_CASE("rtl super_size: products modulo 2^64 - 2^32 + 1", "[rtl]") {
  check_products<SuperSize16Solinas>({.points = 16, .digit = 28}, kManyLengths);
  check_products<SuperSize32Solinas>({.points = 32, .digit = 28}, kFewLengths);
  check_products<SuperSize64Solinas>({.points = 64, .digit = 28}, kFewLengths);
}

TEST_CASE("rtl super_size: a memory that is late changes nothing", "[rtl]") {
  const SuperSizeShape shape{.points = 16, .digit = 28};
  SuperSizeMachine<SuperSize16Solinas> machine(shape);
  Operands operands(42);
  Words stalls(43);
  for (const SuperSizeProduct& p : products_of(operands, 20 * shape.word(), 17 * shape.word())) {
    INFO(p.kind);
    const SuperSizeResult result =
        machine.multiply(p.x, p.x_bits, p.y, p.y_bits, {.stalls = &stalls});
    CHECK(result.value == p.x * p.y);
    CHECK(result.clocks ==
          SuperSizeShape::kLengthClocks + shape.blocks(p.x_bits, p.y_bits) + shape.fill());
  }
}

TEST_CASE("rtl super_size: the reduction in words of any length, both reciprocals", "[rtl]") {
  Operands operands(44);
  std::size_t checked = 0;
  for (const std::size_t word : {8U, 12U, 28U, 32U, 48U, 112U, 192U, 224U}) {
    for (int trial = 0; trial < 26; ++trial) {
      Reduction reduction = some_reduction(operands, word);
      for (const Integer& modulus : some_moduli(operands, reduction.modulus_bits)) {
        reduction.modulus = modulus;
        for (const Integer& x : some_values(operands, reduction)) {
          const Integer y = reduction.difference(x, word);
          if (y < 0 || y >= 2 * modulus || oracle::mod(y, modulus) != oracle::mod(x, modulus)) {
            FAIL("word " << word << ", phi " << reduction.modulus_bits << ", x " << x);
          }
          ++checked;
        }
      }
    }
  }
  CHECK(checked >= 10000);
}

TEST_CASE("rtl super_size: the reduction, both reciprocals", "[rtl]") {
  const SuperSizeShape shape{.points = 16, .digit = 12};
  SuperSizeMachine<SuperSize16Barrett> machine(shape);
  Operands operands(45);
  std::size_t reduced = 0;
  std::size_t checked = 0;
  for (int trial = 0; trial < 6; ++trial) {
    Reduction reduction = some_reduction(operands, shape.word());
    for (const Integer& modulus : some_moduli(operands, reduction.modulus_bits)) {
      reduction.modulus = modulus;
      for (const Integer& x : some_values(operands, reduction)) {
        const SuperSizeResult result = machine.reduce(reduction, x);
        INFO("phi " << reduction.modulus_bits << ", gamma " << reduction.excess_bits << ", x "
                    << x);
        CHECK(result.value == oracle::mod(x, modulus));
        CHECK(result.reduced == (reduction.difference(x, shape.word()) >= modulus));
        reduced += result.reduced ? 1 : 0;
        ++checked;
      }
    }
  }
  CHECK(reduced > 0);
  CHECK(reduced < checked);
}

TEST_CASE("rtl super_size: the least reciprocal spares nearly a product", "[rtl]") {
  const SuperSizeShape shape{.points = 16, .digit = 12};
  SuperSizeMachine<SuperSize16Barrett> machine(shape);
  Operands operands(46);
  Reduction reduction{
      .modulus = operands.exactly(20000), .modulus_bits = 20000, .excess_bits = 900};
  const Integer x = operands.bits(20900);
  const SuperSizeResult least = machine.reduce(reduction, x);
  reduction.long_reciprocal = true;
  const SuperSizeResult printed = machine.reduce(reduction, x);
  CHECK(least.value == printed.value);
  const std::size_t product = shape.blocks(20000, 900);
  CHECK(printed.clocks - least.clocks < product);
  CHECK(printed.clocks - least.clocks > product * 9 / 10);
}

}  // namespace fhe::test
