// SPDX-License-Identifier: Apache-2.0
// Folding against GMP, on every kernel of this processor.
#include <vector>

#include "accel/cpu/schoolbook/schoolbook.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

namespace {

// x folded by the kernel, with `spare` limbs of zeros on top.
void check(const cpu::Fold& fold, const Integer& x, std::size_t n, const Integer& r,
           std::size_t spare) {
  std::vector<Limb> words(limbs_of(x).begin(), limbs_of(x).end());
  words.resize(words.size() + spare);
  fold.fold(words);
  CHECK(from_limbs(words) == low_bits(x, n) + (x >> n) * r);
}

}  // namespace

TEST_CASE("folding is exact at every length", "[engine]") {
  Operands operands(31);
  for (const cpu::Kernel kernel : cpu::available_kernels()) {
    for (const std::size_t r_bits : {1U, 51U, 52U, 53U, 64U, 1052U, 2762U, 4095U, 4096U}) {
      // Around whole tiles of columns, steps and halves of steps: 416, 26 and 13 words.
      for (const std::size_t n_limbs : {129U, 143U, 156U, 415U, 416U, 417U, 1000U}) {
        const std::size_t n = n_limbs * 64 + operands.between(0, 63);
        const Integer r = operands.coin() ? operands.exactly(r_bits) : all_ones(r_bits);
        const cpu::Fold fold(n, r, kernel);
        CAPTURE(cpu::to_string(kernel), r_bits, n);
        for (const std::size_t above : {1U, 64U, 65 * 64U, 100 * 64U, 130 * 64 + 7U}) {
          check(fold, all_ones(n + above), n, r, 0);
          check(fold, operands.exactly(n + above), n, r, 0);
          check(fold, operands.exactly(n + above), n, r, operands.between(1, 40));
          check(fold, Integer(operands.runs(n + above) | 1), n, r, 1);
        }
        for (const Integer& x :
             {all_ones(2 * n), power_of_two(2 * n - 1), Integer(operands.runs(2 * n) | 1),
              operands.exactly(2 * n), power_of_two(n), all_ones(n), Integer(1)}) {
          check(fold, x, n, r, 0);
          check(fold, x, n, r, 7);
        }
      }
    }
  }
}

TEST_CASE("carries go through all digits of a folded number", "[engine]") {
  Operands operands(32);
  for (const cpu::Kernel kernel : cpu::available_kernels()) {
    for (const std::size_t n : {8192U, 52 * 512U, 52 * 512U + 1, 64 * 512U, 100'000U}) {
      // (2^b - 1)(2^k + 1) = 2^(b+k) + 2^b - 2^k - 1: digits of nothing but ones, to which an l of
      // 2^k or so adds a carry through them all.
      for (const std::size_t k : {1U, 52U, 104U, 1000U, 4000U}) {
        const Integer high = all_ones(n - k - 1) << n;
        for (const Integer& r : {Integer(power_of_two(k) + 1), Integer(power_of_two(k) - 1)}) {
          const cpu::Fold fold(n, r, kernel);
          CAPTURE(cpu::to_string(kernel), n, k);
          for (const Integer& low : {Integer(0), Integer(1), Integer(power_of_two(k)),
                                     Integer(power_of_two(k) + 1), Integer(all_ones(n))}) {
            check(fold, high + low, n, r, 0);
          }
        }
      }
    }
  }
}

}  // namespace fhe::test
