// SPDX-License-Identifier: Apache-2.0
// The parts of the super-size multiplier: products modulo the moduli whose roots are no powers of
// two, factors that are powers of two, lengths in words.
#include <cstddef>
#include <cstdint>

#include "BarrettMultiply.h"
#include "FermatFactor32.h"
#include "FermatFactor64.h"
#include "SolinasMultiply.h"
#include "WordQuotient.h"
#include "libfhe/arith/integer.hpp"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/modular.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

namespace {

template <class Model>
void check_factor(const Integer& p, std::size_t order) {
  Simulation<Model> model;
  Words words(62);
  for (std::size_t exponent = 0; exponent < order; ++exponent) {
    const Integer value = some_residue(words, p);
    set_integer(model->value, value);
    set_integer(model->factor, Integer(exponent));
    model.clocks(kModularLatency);
    INFO("2^" << exponent << " times " << value);
    CHECK(get_integer(model->product) == value * power_of_two(exponent) % p);
  }
}

}  // namespace

TEST_CASE("rtl modular_multiply: products modulo 2^32 - 2^20 + 1 and 2^64 - 2^32 + 1", "[rtl]") {
  check_multiply<BarrettMultiply>(power_of_two(32) - power_of_two(20) + 1);
  check_multiply<SolinasMultiply>(power_of_two(64) - power_of_two(32) + 1);
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
