// SPDX-License-Identifier: Apache-2.0
// Encryptions of CNT and CMNT in hardware: bit for bit those of the library, to the clock.
#include <cstddef>
#include <string>
#include <vector>

#include "SuperSize16Fermat32.h"
#include "SuperSize16Solinas.h"
#include "SuperSize32Solinas.h"
#include "SuperSize64Fermat32.h"
#include "tests/accel/fpga/rtl/super_size_keys.hpp"
#include "tests/accel/fpga/rtl/super_size_terms.hpp"

namespace fhe::test {

namespace {

constexpr SuperSizeShape kShape16{.points = 16, .digit = 28};

// The clocks that the products of one encryption take beyond 8 X Y each: one term more, all else
// equal.
template <class Model>
std::size_t clocks_beyond_blocks(SuperSizeMachine<Model>& machine, const Encryption& e,
                                 const SuperSizeOptions& options) {
  Encryption more = e;
  more.elements.push_back(e.elements.front());
  more.weights.push_back(e.weights.front());
  REQUIRE(more.excess_bits() == e.excess_bits());
  const SuperSizeResult one = machine.encrypt(e, options);
  const SuperSizeResult other = machine.encrypt(more, options);
  CHECK(one.value == e.expected());
  CHECK(other.value == more.expected());
  return other.clocks - one.clocks - machine.shape().blocks(e.element_bits, e.weight_bits);
}

}  // namespace

TEST_CASE("rtl super_size: encryptions of a few terms", "[rtl]") {
  Operands operands(51);
  SuperSizeMachine<SuperSize16Solinas> machine(kShape16);
  for (const bool long_reciprocal : {false, true}) {
    for (const bool overlap : {false, true}) {
      for (int trial = 0; trial < 12; ++trial) {
        const std::size_t bits = operands.between(300, 3000);
        const Encryption e =
            some_encryption(operands, bits, operands.between(1, 280), operands.between(1, 9));
        INFO(e.element_bits << " and " << e.weight_bits << " bits, " << e.count() << " terms");
        const SuperSizeOptions options{.long_reciprocal = long_reciprocal, .overlap = overlap};
        CHECK(machine.encrypt(e, options).value == e.expected());
      }
    }
  }
}

TEST_CASE("rtl super_size: encryptions at the ends of their ranges", "[rtl]") {
  Operands operands(52);
  SuperSizeMachine<SuperSize16Solinas> machine(kShape16);
  const std::size_t bits = 20 * kShape16.word();
  for (const Integer& modulus : {power_of_two(bits - 1), all_ones(bits), operands.exactly(bits)}) {
    const Integer noise = modulus / 2 - 1;
    for (const int sign : {-1, 0, 1}) {
      for (const bool largest : {false, true}) {
        Encryption e{.modulus = modulus, .element_bits = bits, .weight_bits = 100};
        e.elements.assign(5, Integer(modulus - 1));
        e.weights.assign(5, largest ? all_ones(100) : Integer(0));
        e.noise = sign * noise;
        INFO("sign " << sign << ", weights " << e.weights.front());
        for (const bool message : {false, true}) {
          e.message = message;
          CHECK(machine.encrypt(e).value == e.expected());
        }
      }
    }
  }
}

TEST_CASE("rtl super_size: the nested form of CMNT", "[rtl]") {
  Operands operands(53);
  SuperSizeMachine<SuperSize16Solinas> machine(kShape16);
  for (const std::size_t count : {1U, 2U, 3U, 5U}) {
    for (const bool long_reciprocal : {false, true}) {
      const Encryption e = some_nested_encryption(operands, operands.between(400, 2000),
                                                  operands.between(10, 60), count);
      INFO(e.element_bits << " and " << e.weight_bits << " bits, " << count << " rows");
      CHECK(machine.encrypt(e, {.long_reciprocal = long_reciprocal}).value == e.expected());
    }
  }
}

TEST_CASE("rtl super_size: sums without a reduction", "[rtl]") {
  Operands operands(58);
  Words stalls(59);
  SuperSizeMachine<SuperSize16Solinas> machine(kShape16);
  for (int trial = 0; trial < 24; ++trial) {
    Encryption e = some_encryption(operands, operands.between(2, 2000), operands.between(1, 900),
                                   operands.between(1, 6));
    if (trial % 3 == 0) e.elements.assign(e.count(), all_ones(e.element_bits));
    if (trial % 3 == 0) e.weights.assign(e.count(), all_ones(e.weight_bits));
    const std::size_t room = e.element_bits + e.weight_bits + 16 + operands.between(0, 600);
    INFO(e.element_bits << " and " << e.weight_bits << " bits, " << e.count() << " terms in "
                        << room << " bits");
    Words* const late = trial % 2 == 0 ? &stalls : nullptr;
    const SuperSizeOptions options{.stalls = late, .late_pairs = late};
    CHECK(machine.sum(e, room, false, nullptr, options) == e.sum());
    if (e.doubled_sum() >= 0)
      CHECK(machine.sum(e, room, true, nullptr, options) == e.doubled_sum());
    CHECK(machine.reduced_sum(e, options) == oracle::mod(e.sum(), e.modulus));
  }
}

TEST_CASE("rtl super_size: a product is added to what is there", "[rtl]") {
  Operands operands(60);
  SuperSizeMachine<SuperSize16Solinas> machine(kShape16);
  for (int trial = 0; trial < 24; ++trial) {
    Encryption e =
        some_encryption(operands, operands.between(2, 2000), operands.between(1, 900), 1);
    const std::size_t room = e.element_bits + e.weight_bits + operands.between(0, 2000);
    const Integer old = trial % 2 == 0 ? all_ones(room) : operands.bits(room);
    if (trial % 4 == 0) e.weights.front() = 1;
    if (trial % 4 == 0) e.elements.front() = 1;
    INFO(e.element_bits << " and " << e.weight_bits << " bits in " << room);
    CHECK(machine.sum(e, room, false, &old) == old + e.sum());
  }
}

TEST_CASE("rtl super_size: an encryption survives a late memory and a reset", "[rtl]") {
  Operands operands(54);
  Words stalls(55);
  SuperSizeMachine<SuperSize16Fermat32> machine({.points = 16, .digit = 8});
  const Encryption e = some_encryption(operands, 1000, 70, 4);
  const std::size_t clocks = machine.encrypt(e).clocks;
  for (std::size_t end = 10; end < clocks; end += clocks / 9) {
    machine.abandon(e, end);
    const SuperSizeResult result = machine.encrypt(e);
    CHECK(result.value == e.expected());
    CHECK(result.clocks == clocks);
  }
  CHECK(machine.encrypt(e, {.stalls = &stalls, .late_pairs = &stalls}).value == e.expected());
}

TEST_CASE("rtl super_size: clocks from one product of an encryption to the next", "[rtl]") {
  Operands operands(56);
  SuperSizeMachine<SuperSize16Solinas> machine(kShape16);
  for (const std::size_t elements : {300U, 4000U}) {
    const Encryption e = some_encryption(operands, elements, 500, 5);
    CHECK(clocks_beyond_blocks(machine, e, {.overlap = true}) == 9);
    CHECK(clocks_beyond_blocks(machine, e, {.overlap = false}) == kShape16.fill() - 1);
  }
}

TEST_CASE("rtl super_size: CNT Mini and CMNT Mini are those of the library", "[rtl]") {
  SuperSizeMachine<SuperSize16Solinas> machine(kShape16);
  const LibraryEncryption cnt = cnt_encryption("cnt-mini");
  CHECK(machine.encrypt(cnt.encryption).value == cnt.ciphertext);
  CHECK(machine.encrypt(cnt.encryption, {.long_reciprocal = true}).value == cnt.ciphertext);
  const LibraryEncryption cmnt = cmnt_encryption("cmnt-mini");
  CHECK(machine.encrypt(cmnt.encryption).value == cmnt.ciphertext);
  CHECK(machine.encrypt(of_pairs(cmnt.encryption)).value == cmnt.ciphertext);
}

TEST_CASE("rtl super_size: CMNT Toy is that of the library", "[rtl]") {
  SuperSizeMachine<SuperSize16Solinas> machine(kShape16);
  check_cmnt(machine, "cmnt-toy", {});
}

TEST_CASE("rtl super_size: CNT Toy is that of the library", "[rtl]") {
  SuperSizeMachine<SuperSize32Solinas> machine({.points = 32, .digit = 28});
  check_cnt(machine, "cnt-toy", {});
}

TEST_CASE("rtl super_size: CNT Toy with 64 points modulo 2^32 + 1", "[rtl][long]") {
  SuperSizeMachine<SuperSize64Fermat32> machine({.points = 64, .digit = 8});
  check_cnt(machine, "cnt-toy", {.long_reciprocal = true});
}

// The published k = 64 with the modulus that fits the published device; few terms of full size.
TEST_CASE("rtl super_size: CNT Toy with 64 points, clocks of a term", "[rtl]") {
  Operands operands(57);
  constexpr SuperSizeShape kShape{.points = 64, .digit = 8};
  SuperSizeMachine<SuperSize64Fermat32> machine(kShape);
  const Encryption e = some_encryption(operands, 150000, 936, 2);
  const std::size_t drained = clocks_beyond_blocks(machine, e, {.overlap = false});
  CHECK(drained >= kShape.published_fill());
  CHECK(drained <= kShape.published_fill() + 40);
  CHECK(clocks_beyond_blocks(machine, e, {.overlap = true}) == 9);
}

}  // namespace fhe::test
