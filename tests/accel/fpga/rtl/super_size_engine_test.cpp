// SPDX-License-Identifier: Apache-2.0
// super_size_engine behind the readers and the writer of a datapath: against GMP.
#include "tests/accel/fpga/rtl/super_size_engine.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "SuperSizeDatapath.h"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"
#include "tests/support/oracle.hpp"

namespace fhe::test {

namespace {

using namespace engine;
using SuperSizeMachine = EngineMachine<SuperSizeDatapath, 28>;

// Lengths around those of words, lines and
// blocks.
std::size_t some_length(Operands& operands) {
  static constexpr std::array<std::size_t, 12> kEdges = {1,   2,   27,  28,  29,  224,
                                                         225, 448, 511, 512, 513, 1024};
  return operands.coin() ? kEdges[operands.between(0, kEdges.size() - 1)]
                         : operands.between(1, 3000);
}

}  // namespace

TEST_CASE("rtl super_size_engine: products", "[rtl]") {
  Operands operands(71);
  Words stalls(72);
  for (Words* const late : {static_cast<Words*>(nullptr), &stalls}) {
    SuperSizeMachine machine(late);
    for (int trial = 0; trial < 80; ++trial) {
      const std::size_t a_bits = some_length(operands);
      const std::size_t b_bits = some_length(operands);
      const Integer a = some_number(operands, a_bits);
      const Integer b = some_number(operands, b_bits);
      Request request{.a = machine.add(a, a_bits), .b = machine.add(b, b_bits)};
      request.check_pad = operands.coin();
      request.d = machine.reserve(a_bits + b_bits + operands.between(0, 1) * some_length(operands));
      INFO(a_bits << " by " << b_bits << " bits into " << request.d.bits);
      machine.run(request);
      CHECK(machine.load(request.d) == a * b);
      CHECK_FALSE(machine.carry());
      CHECK_FALSE(machine.pad_error());
    }
  }
}

TEST_CASE("rtl super_size_engine: numbers without bits", "[rtl]") {
  Operands operands(73);
  SuperSizeMachine machine;
  const Integer x = operands.bits(700);
  for (const auto& [a_bits, b_bits] :
       {std::pair{0U, 700U}, std::pair{700U, 0U}, std::pair{0U, 0U}}) {
    const Request request{.a = a_bits == 0 ? Place{} : machine.add(x, a_bits),
                          .b = b_bits == 0 ? Place{} : machine.add(x, b_bits),
                          .d = machine.reserve(1400)};
    machine.run(request);
    CHECK(machine.load(request.d) == 0);
  }
}

TEST_CASE("rtl super_size_engine: products that are added", "[rtl]") {
  Operands operands(74);
  Words stalls(75);
  SuperSizeMachine machine(&stalls);
  for (int trial = 0; trial < 80; ++trial) {
    const std::size_t a_bits = some_length(operands);
    const std::size_t b_bits = some_length(operands);
    const Integer a = some_number(operands, a_bits);
    const Integer b = some_number(operands, b_bits);
    Request request{.accumulate = true, .a = machine.add(a, a_bits), .b = machine.add(b, b_bits)};
    const std::size_t words =
        fpga::words_for_bits(a_bits + b_bits + operands.between(0, 1) * some_length(operands));
    const Integer old = some_number(operands, words * kWordBits);
    request.d = machine.add(old, words * kWordBits);
    INFO(a_bits << " by " << b_bits << " bits to " << words << " words");
    machine.run(request);
    const Integer sum = old + a * b;
    CHECK(machine.load(request.d) == low_bits(sum, words * kWordBits));
    CHECK(machine.carry() == (bit_length(sum) > words * kWordBits));
  }
}

TEST_CASE("rtl super_size_engine: remainders", "[rtl]") {
  Operands operands(76);
  Words stalls(77);
  bool seen[2] = {};
  for (Words* const late : {static_cast<Words*>(nullptr), &stalls}) {
    SuperSizeMachine machine(late);
    for (int trial = 0; trial < 60; ++trial) {
      const std::size_t phi = operands.between(2, 2000);
      const std::size_t gamma = operands.between(0, phi + 40);
      const Integer modulus = trial % 5 == 0   ? power_of_two(phi - 1)
                              : trial % 5 == 1 ? all_ones(phi)
                                               : operands.exactly(phi);
      machine.set_modulus(modulus, static_cast<std::uint32_t>(gamma),
                          static_cast<std::uint32_t>(operands.between(0, 3)));
      const std::size_t bits = operands.between(0, phi + gamma);
      Integer x = bits == 0 ? Integer(0) : some_number(operands, bits);
      if (trial % 4 == 0) x -= x % modulus;
      if (trial % 8 == 0 && x != 0) x -= 1;
      Request request{.operation = Operation::remainder,
                      .reduces = operands.coin(),
                      .check_pad = operands.coin(),
                      .a = machine.add(x, bits)};
      const bool in_place = operands.coin() && request.a.bits >= phi;
      request.d = in_place ? request.a : machine.reserve(phi + operands.between(0, 1200));
      INFO("phi " << phi << ", gamma " << gamma << ", " << bits << " bits");
      machine.run(request);
      CHECK(machine.load(request.d) == x % modulus);
      seen[machine.reduced()] = true;
      CHECK_FALSE(machine.pad_error());
    }
  }
  CHECK(seen[0]);
  CHECK(seen[1]);
}

TEST_CASE("rtl super_size_engine: sums", "[rtl]") {
  Operands operands(78);
  Words stalls(79);
  for (Words* const late : {static_cast<Words*>(nullptr), &stalls}) {
    SuperSizeMachine machine(late);
    for (int trial = 0; trial < 40; ++trial) {
      const std::size_t a_bits = some_length(operands);
      const std::size_t b_bits = some_length(operands) % 1200 + 1;
      Terms terms = some_terms(machine, operands, operands.between(1, 6), a_bits, b_bits);
      const bool affine = operands.coin();
      if (affine) add_noise(machine, operands, terms);
      terms.request.check_pad = operands.coin();
      terms.request.d =
          machine.reserve(std::max<std::size_t>(a_bits + b_bits + 17, affine ? 513 : 1) +
                          operands.between(0, 1) * some_length(operands));
      INFO(terms.request.terms << " terms of " << a_bits << " by " << b_bits << " bits");
      machine.run(terms.request);
      CHECK(machine.load(terms.request.d) == terms.sum);
      CHECK_FALSE(machine.carry());
      CHECK_FALSE(machine.pad_error());
    }
  }
}

TEST_CASE("rtl super_size_engine: sums modulo a number", "[rtl]") {
  Operands operands(80);
  Words stalls(81);
  for (Words* const late : {static_cast<Words*>(nullptr), &stalls}) {
    SuperSizeMachine machine(late);
    for (int trial = 0; trial < 40; ++trial) {
      const std::size_t phi = operands.between(2, 2000);
      const std::size_t a_bits = std::max<std::size_t>(1, phi - operands.between(0, phi / 4));
      const std::size_t b_bits = some_length(operands) % 1200 + 1;
      const Integer modulus = operands.exactly(phi);
      Terms terms = some_terms(machine, operands, operands.between(1, 6), a_bits, b_bits);
      if (operands.coin()) add_noise(machine, operands, terms);
      const std::size_t least = bit_length(terms.sum) > phi ? bit_length(terms.sum) - phi : 0;
      machine.set_modulus(modulus,
                          static_cast<std::uint32_t>(least + operands.between(0, 1) * 600));
      terms.request.reduces = true;
      terms.request.d = machine.reserve(phi + operands.between(0, 1) * some_length(operands));
      INFO(terms.request.terms << " terms of " << a_bits << " by " << b_bits << " bits modulo "
                               << phi);
      machine.run(terms.request);
      CHECK(machine.load(terms.request.d) == terms.sum % modulus);
    }
  }
}

TEST_CASE("rtl super_size_engine: the nested form", "[rtl]") {
  Operands operands(82);
  Words stalls(83);
  for (Words* const late : {static_cast<Words*>(nullptr), &stalls}) {
    SuperSizeMachine machine(late);
    for (int trial = 0; trial < 16; ++trial) {
      const std::size_t phi = operands.between(300, 1600);
      const std::size_t b_bits = operands.between(1, 300);
      const std::size_t theta = operands.between(1, 4);
      const Integer modulus = operands.exactly(phi);
      machine.set_modulus(modulus, static_cast<std::uint32_t>(std::max(phi, b_bits) + 20));
      Terms terms{.request = {.operation = Operation::nested,
                              .reduces = true,
                              .terms = theta,
                              .a = {0, phi},
                              .b = {0, b_bits},
                              .row_excess = b_bits + 3},
                  .sum = 0};
      std::vector<Integer> columns;
      std::vector<std::uint64_t> columns_at;
      for (std::size_t j = 0; j < theta; ++j) {
        columns.push_back(operands.below(modulus));
        columns_at.push_back(machine.add(columns.back(), phi).address);
      }
      for (std::size_t i = 0; i < theta; ++i) {
        Integer row;
        for (std::size_t j = 0; j < theta; ++j) {
          const Integer b = some_number(operands, b_bits);
          row += b * columns[j];
          terms.request.pairs.emplace_back(columns_at[j], machine.add(b, b_bits).address);
        }
        const Integer factor = operands.below(modulus);
        terms.sum += factor * row;
        terms.request.pairs.emplace_back(machine.add(factor, phi).address, 0);
      }
      if (operands.coin()) add_noise(machine, operands, terms);
      terms.request.d = machine.reserve(phi);
      INFO(theta << " rows of " << phi << " by " << b_bits << " bits");
      machine.run(terms.request);
      CHECK(machine.load(terms.request.d) == oracle::mod(terms.sum, modulus));
    }
  }
}

TEST_CASE("rtl super_size_engine: bits above the end of a number are found", "[rtl]") {
  Operands operands(84);
  SuperSizeMachine machine;
  const std::size_t phi = 1000;
  const Integer modulus = operands.exactly(phi);
  machine.set_modulus(modulus, 1200);
  const Place good = machine.add(operands.bits(900), 900);
  const Place bad{machine.add(power_of_two(1020), 1024).address, 900};
  const Place room = machine.reserve(2000);
  for (const bool check_pad : {false, true}) {
    for (const bool first : {false, true}) {
      machine.run(
          {.check_pad = check_pad, .a = first ? bad : good, .b = first ? good : bad, .d = room});
      CHECK(machine.pad_error() == check_pad);
      Request sum{.operation = Operation::sum,
                  .check_pad = check_pad,
                  .terms = 2,
                  .a = {0, 900},
                  .b = {0, 900}};
      sum.d = room;
      sum.pairs = {{good.address, good.address},
                   {(first ? bad : good).address, (first ? good : bad).address}};
      machine.run(sum);
      CHECK(machine.pad_error() == check_pad);
    }
    machine.run({.operation = Operation::remainder, .check_pad = check_pad, .a = bad, .d = room});
    CHECK(machine.pad_error() == check_pad);
  }
  machine.run({.a = good, .b = good, .d = room});
  CHECK_FALSE(machine.pad_error());
}

TEST_CASE("rtl super_size_engine: a reset at any moment", "[rtl]") {
  Operands operands(85);
  Words stalls(86);
  SuperSizeMachine machine(&stalls);
  const Integer modulus = operands.exactly(700);
  machine.set_modulus(modulus, 400);
  Terms terms = some_terms(machine, operands, 3, 700, 300);
  add_noise(machine, operands, terms);
  terms.request.reduces = true;
  terms.request.d = machine.reserve(700);
  const std::size_t clocks = machine.run(terms.request);
  for (std::size_t end = 1; end < clocks * 3 / 4; end += clocks / 40) {
    machine.abandon(terms.request, end);
    machine.run(terms.request);
    CHECK(machine.load(terms.request.d) == terms.sum % modulus);
  }
}

// A line of 512 bits has 18 words: the memory's latency hides behind them, but where a row of
// blocks goes back to the beginning of a second number that is longer than the lines that are kept.
TEST_CASE("rtl super_size_engine: memory adds few clocks to those of the machine", "[rtl]") {
  Operands operands(87);
  SuperSizeMachine machine;
  for (const auto& [a_bits, b_bits] : {std::pair{40'000U, 900U}, std::pair{5'000U, 5'000U}}) {
    Request request{.a = machine.add(operands.bits(a_bits), a_bits),
                    .b = machine.add(operands.bits(b_bits), b_bits)};
    request.d = machine.reserve(a_bits + b_bits);
    const std::size_t clocks = machine.run(request);
    const std::size_t rows = (a_bits + 223) / 224;
    const std::size_t own_clocks = 33 + 95 + 8 * rows * ((b_bits + 223) / 224);
    const std::size_t returns = b_bits > 2'000 ? 65 * rows : 0;
    INFO(clocks << " clocks, of which the machine counts " << own_clocks);
    CHECK(clocks < own_clocks + 140 + returns);
  }
}

}  // namespace fhe::test
