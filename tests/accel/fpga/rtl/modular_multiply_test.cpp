// SPDX-License-Identifier: Apache-2.0
// The parts of the super-size multiplier: arithmetic modulo its four moduli, one value per clock.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "BarrettMultiply.h"
#include "FermatFactor32.h"
#include "FermatFactor64.h"
#include "FermatMultiply32.h"
#include "FermatMultiply64.h"
#include "WordQuotient.h"
#include "libfhe/arith/integer.hpp"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/super_size.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

namespace {

constexpr int kTrials = 5000;
constexpr std::size_t kLatency = 7;

// Residues at the ends of the range and next to powers of two, and random ones.
Integer some_residue(Words& words, const Integer& p) {
  switch (words.below(4)) {
    case 0:
      return p - 1 - words.below(3);
    case 1:
      return Integer(words.below(3));
    case 2:
      return power_of_two(words.below(bit_length(p) - 1)) - words.below(2);
    default:
      return from_limbs(std::vector<Limb>{words.random(), words.random()}) % p;
  }
}

template <class Port>
void set_integer(Port& port, const Integer& x) {
  std::array<std::uint32_t, 3> pieces{};
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    pieces[i] = static_cast<std::uint32_t>(low_bits(x >> (32 * i), 32).get_ui());
  }
  set_pieces(port, pieces.data());
}

template <class Port>
Integer get_integer(const Port& port) {
  std::array<std::uint32_t, 3> pieces{};
  get_pieces(port, pieces.data());
  return (((Integer(pieces[2]) << 32) + pieces[1]) << 32) + pieces[0];
}

template <class Model, class Drive>
void check_stream(Simulation<Model>& model, Drive drive) {
  std::deque<Integer> expected;
  for (int trial = 0; trial < kTrials; ++trial) {
    expected.push_back(drive());
    model.clock();
    if (expected.size() < kLatency) continue;
    if (get_integer(model->product) != expected.front()) FAIL("trial " << trial);
    expected.pop_front();
  }
  CHECK(expected.size() == kLatency - 1);
}

template <class Model>
void check_multiply(const Integer& p) {
  Simulation<Model> model;
  Words words(61);
  check_stream(model, [&] {
    const Integer a = some_residue(words, p);
    const Integer b = some_residue(words, p);
    set_integer(model->a, a);
    set_integer(model->b, b);
    return Integer(a * b % p);
  });
}

template <class Model>
void check_factor(const Integer& p, std::size_t order) {
  Simulation<Model> model;
  Words words(62);
  for (std::size_t exponent = 0; exponent < order; ++exponent) {
    const Integer value = some_residue(words, p);
    set_integer(model->value, value);
    set_integer(model->factor, Integer(exponent));
    model.clocks(kLatency);
    INFO("2^" << exponent << " times " << value);
    CHECK(get_integer(model->product) == value * power_of_two(exponent) % p);
  }
}

}  // namespace

TEST_CASE("rtl modular_multiply: three of the moduli", "[rtl]") {
  check_multiply<FermatMultiply32>(power_of_two(32) + 1);
  check_multiply<FermatMultiply64>(power_of_two(64) + 1);
  check_multiply<BarrettMultiply>(power_of_two(32) - power_of_two(20) + 1);
}

TEST_CASE("rtl modular_factor: every power of two modulo 2^32 + 1 and 2^64 + 1", "[rtl]") {
  check_factor<FermatFactor32>(power_of_two(32) + 1, 64);
  check_factor<FermatFactor64>(power_of_two(64) + 1, 128);
}

TEST_CASE("rtl word_quotient: words of 224 bits in up to 2^32 bits", "[rtl]") {
  Simulation<WordQuotient> divide;
  divide->start = 0;
  divide.reset();
  Words words(63);
  for (const std::uint64_t bits :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{223}, std::uint64_t{224},
        std::uint64_t{0xffffffff}, words.below(1U << 31), words.below(1U << 20)}) {
    divide->bits = static_cast<std::uint32_t>(bits);
    divide->start = 1;
    divide.clock();
    divide->start = 0;
    CHECK(divide->done == 0);
    divide.clocks(32);
    CHECK(divide->done == 1);
    CHECK(divide->quotient == bits / 224);
  }
}

}  // namespace fhe::test
