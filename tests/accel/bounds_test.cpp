// SPDX-License-Identifier: Apache-2.0
// A verify build notices numbers out of their range: what it checks elsewhere is checked in truth.
#include "accel/cpu/bounds.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "accel/cpu/goldilocks/goldilocks_plan.hpp"
#include "accel/cpu/goldilocks/kernel_table.hpp"
#include "accel/cpu/goldilocks/prime.hpp"
#include "accel/cpu/kernel.hpp"
#include "accel/cpu/three_primes/kernels.hpp"
#include "accel/cpu/three_primes/make_tables.hpp"
#include "accel/cpu/three_primes/primes.hpp"
#include "tests/accel/three_primes_words.hpp"
#include "tests/catch.hpp"

namespace {

using namespace fhe::cpu;

static_assert(kVerifyBounds, "this source belongs to the tests of a verify build alone");

}  // namespace

TEST_CASE("verify: a sum of more products than the bound allows is noticed", "[goldilocks]") {
  for (const Kernel kernel : available_kernels()) {
    const PlanPtr plan = make_goldilocks_plan(24'576, kernel);
    REQUIRE(plan->max_terms() == 1);
    const Spectrum operand = plan->forward(std::vector<fhe::Limb>{1, 2, 3});
    Spectrum sum;
    plan->multiply(sum, operand, operand);
    CHECK_THROWS_AS(plan->add_product(sum, operand, operand), std::logic_error);
    Spectrum other;
    CHECK_THROWS_AS(plan->multiply(other, sum, operand), std::logic_error);
  }
}

TEST_CASE("verify: an accumulator that is not canonical is noticed in every kernel",
          "[goldilocks]") {
  std::vector<const goldilocks::KernelTable*> kernel_tables{&goldilocks::portable_kernels()};
#if defined(__x86_64__)
  if (is_available(Kernel::avx2)) kernel_tables.push_back(&goldilocks::avx2_kernels());
  if (is_available(Kernel::avx512)) kernel_tables.push_back(&goldilocks::avx512_kernels());
  if (is_available(Kernel::ifma)) kernel_tables.push_back(&goldilocks::ifma_kernels());
#endif
  for (const goldilocks::KernelTable* kernels : kernel_tables) {
    Spectrum sum(8);
    Spectrum factor(8);
    std::fill_n(sum.data(), 8, goldilocks::kPrime - 1);
    std::fill_n(factor.data(), 8, 5);
    CHECK_NOTHROW(kernels->add_product(sum.data(), factor.data(), factor.data(), 8));
    for (std::size_t lane = 0; lane < 8; ++lane) {
      sum.data()[lane] = goldilocks::kPrime;
      CHECK_THROWS_AS(kernels->add_product(sum.data(), factor.data(), factor.data(), 8),
                      std::logic_error);
      sum.data()[lane] = 0;
    }
  }
}

TEST_CASE("verify: residues beyond their range are noticed", "[three_primes]") {
  for (const Kernel kernel : fhe::test::three_primes_kernels()) {
    const three_primes::Kernels& code = three_primes::kernels_of(kernel);
    for (const three_primes::PrimeSet* set : {&three_primes::kNarrow, &three_primes::kWide}) {
      CAPTURE(to_string(kernel), set->bits);
      const three_primes::OwnedTables owned(set->primes[0], set->bits, {1, 1, 2}, code.form);
      const three_primes::Tables& tables = owned.get();
      const fhe::test::ThreePrimesWords words(code.form, *set, set->primes[0].p);
      const auto check = [&](auto function, std::int64_t last) {
        for (const std::size_t place : {std::size_t{0}, tables.block_limbs - 1}) {
          Spectrum values(tables.stride);
          std::fill_n(values.data(), tables.stride, words.word(last));
          CHECK_NOTHROW(function(tables, values.data(), 0));
          std::fill_n(values.data(), tables.stride, words.word(last));
          values.data()[place] = words.word(last + 1);
          CHECK_THROWS_AS(function(tables, values.data(), 0), std::logic_error);
        }
      };
      check(code.forward_block, words.residues().last);
      check(code.inverse_block, words.short_residues().last);
    }
  }
}
