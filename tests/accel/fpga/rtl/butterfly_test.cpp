// SPDX-License-Identifier: Apache-2.0
// The butterflies of the super-size multiplier modulo 2^32 - 2^20 + 1 and 2^64 - 2^32 + 1, whose
// factors are residues.
#include "ButterflyBarrettPlain.h"
#include "ButterflyBarrettScaled.h"
#include "ButterflyBarrettTwiddled.h"
#include "ButterflySolinasPlain.h"
#include "ButterflySolinasScaled.h"
#include "ButterflySolinasTwiddled.h"
#include "libfhe/arith/integer.hpp"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/modular.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

namespace {

template <class Plain, class Twiddled, class Scaled>
void check_residue_butterflies(const Integer& p) {
  check_butterflies<Plain, Twiddled, Scaled>(p, [&](Words& words) {
    const Integer factor = some_residue(words, p);
    return Factor{.port = factor, .value = factor};
  });
}

}  // namespace

TEST_CASE("rtl modular_butterfly: modulo 2^32 - 2^20 + 1 and 2^64 - 2^32 + 1", "[rtl]") {
  check_residue_butterflies<ButterflyBarrettPlain, ButterflyBarrettTwiddled,
                            ButterflyBarrettScaled>(power_of_two(32) - power_of_two(20) + 1);
  check_residue_butterflies<ButterflySolinasPlain, ButterflySolinasTwiddled,
                            ButterflySolinasScaled>(power_of_two(64) - power_of_two(32) + 1);
}

}  // namespace fhe::test
