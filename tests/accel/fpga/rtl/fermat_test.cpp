// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the super-size multiplier modulo 2^32 + 1 and 2^64 + 1, whose factors are
// powers of two.
#include <cstddef>

#include "ButterflyFermat32Plain.h"
#include "ButterflyFermat32Scaled.h"
#include "ButterflyFermat32Twiddled.h"
#include "ButterflyFermat64Plain.h"
#include "ButterflyFermat64Scaled.h"
#include "ButterflyFermat64Twiddled.h"
#include "FermatMultiply32.h"
#include "FermatMultiply64.h"
#include "libfhe/arith/integer.hpp"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/modular.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

namespace {

// An exponent below the order 2 n of two, the last one often.
Factor some_factor(Words& words, const Integer& p, std::size_t order) {
  const std::size_t exponent = words.coin() ? order - 1 : words.below(order);
  return {.port = exponent, .value = power_of_two(exponent) % p};
}

template <class Plain, class Twiddled, class Scaled>
void check_fermat_butterflies(const Integer& p, std::size_t order) {
  check_butterflies<Plain, Twiddled, Scaled>(
      p, [&](Words& words) { return some_factor(words, p, order); });
}

}  // namespace

TEST_CASE("rtl modular_butterfly: sums and differences modulo 2^n + 1", "[rtl]") {
  check_fermat_butterflies<ButterflyFermat32Plain, ButterflyFermat32Twiddled,
                           ButterflyFermat32Scaled>(power_of_two(32) + 1, 64);
  check_fermat_butterflies<ButterflyFermat64Plain, ButterflyFermat64Twiddled,
                           ButterflyFermat64Scaled>(power_of_two(64) + 1, 128);
}

TEST_CASE("rtl modular_multiply: products modulo 2^n + 1", "[rtl]") {
  check_multiply<FermatMultiply32>(power_of_two(32) + 1);
  check_multiply<FermatMultiply64>(power_of_two(64) + 1);
}

}  // namespace fhe::test
