// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the super-size multiplier modulo 2^32 + 1 and 2^64 + 1, whose factors are
// powers of two.
#include <cstddef>
#include <utility>

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
#include "tests/accel/fpga/rtl/pipeline.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

namespace {

struct Factor {
  Integer port;   // what the port is given
  Integer value;  // the residue that this means
};

// An exponent below the order 2 n of two, the last one often.
Factor some_factor(Words& words, const Integer& p, std::size_t order) {
  const std::size_t exponent = words.coin() ? order - 1 : words.below(order);
  return {.port = exponent, .value = power_of_two(exponent) % p};
}

// The butterfly with a factor of the lower value, and with one of the upper value too.
template <class Model>
void check_butterfly(const Integer& p, std::size_t order, bool twiddled, bool scaled) {
  constexpr int kFactors = 20;
  Simulation<Model> model;
  Words words(64);
  for (int i = 0; i < kFactors; ++i) {
    const Factor up = some_factor(words, p, order);
    const Factor down = some_factor(words, p, order);
    set_integer(model->up_factor, up.port);
    set_integer(model->down_factor, down.port);
    check_pipeline(
        model, kModularLatency + 1, kModularTrials / kFactors,
        [&] {
          const Integer a = some_residue(words, p);
          const Integer b = some_residue(words, p);
          set_integer(model->up, a);
          set_integer(model->down, b);
          const Integer u = scaled ? Integer(a * up.value % p) : a;
          const Integer d = twiddled ? Integer(b * down.value % p) : b;
          return std::pair(Integer((u + d) % p), Integer((u + p - d) % p));
        },
        [&] { return std::pair(get_integer(model->sum), get_integer(model->difference)); });
  }
}

template <class Plain, class Twiddled, class Scaled>
void check_butterflies(const Integer& p, std::size_t order) {
  check_butterfly<Plain>(p, order, false, false);
  check_butterfly<Twiddled>(p, order, true, false);
  check_butterfly<Scaled>(p, order, true, true);
}

}  // namespace

TEST_CASE("rtl modular_butterfly: sums and differences modulo 2^n + 1", "[rtl]") {
  check_butterflies<ButterflyFermat32Plain, ButterflyFermat32Twiddled, ButterflyFermat32Scaled>(
      power_of_two(32) + 1, 64);
  check_butterflies<ButterflyFermat64Plain, ButterflyFermat64Twiddled, ButterflyFermat64Scaled>(
      power_of_two(64) + 1, 128);
}

TEST_CASE("rtl modular_multiply: products modulo 2^n + 1", "[rtl]") {
  check_multiply<FermatMultiply32>(power_of_two(32) + 1);
  check_multiply<FermatMultiply64>(power_of_two(64) + 1);
}

}  // namespace fhe::test
