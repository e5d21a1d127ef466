// SPDX-License-Identifier: Apache-2.0
// A million random operations of every field, by every kernel, against plain remainders: sums,
// differences and products, and in the Solinas field multiplication by powers of two.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "accel/cpu/goldilocks/field.hpp"
#include "accel/cpu/goldilocks/kernel_table.hpp"
#include "accel/cpu/goldilocks/tables.hpp"
#include "accel/cpu/kernel.hpp"
#include "accel/cpu/three_primes/kernels.hpp"
#include "accel/cpu/three_primes/make_tables.hpp"
#include "accel/cpu/three_primes/primes.hpp"
#include "tests/accel/three_primes_words.hpp"
#include "tests/catch.hpp"

namespace {

using namespace fhe::cpu;

constexpr std::size_t kOperations = 1'000'000;

// Residues modulo p: a third at its ends, the others random.
class Residues {
 public:
  explicit Residues(std::uint64_t p) : p_(p) {}

  std::uint64_t operator()() {
    const std::uint64_t word = random_();
    switch (word % 6) {
      case 0:
        return (word >> 8) % 4;
      case 1:
        return p_ - 1 - (word >> 8) % 4;
      default:
        return (word >> 3) % p_;
    }
  }
  std::size_t below(std::size_t end) { return random_() % end; }

 private:
  std::uint64_t p_;
  std::mt19937_64 random_{7};
};

// The slow truth.
std::uint64_t plain_sum(std::uint64_t a, std::uint64_t b, std::uint64_t p) {
  return static_cast<std::uint64_t>((three_primes::Wide{a} + b) % p);
}

// ---- p = 2^64 - 2^32 + 1 ---------------------------------------------------------------------

struct NamedKernels {
  const char* name;
  const goldilocks::KernelTable* kernels;
};

std::vector<NamedKernels> kernel_tables() {
  std::vector<NamedKernels> result{{"portable", &goldilocks::portable_kernels()}};
#if defined(__x86_64__)
  if (is_available(Kernel::avx2)) result.push_back({"avx2", &goldilocks::avx2_kernels()});
  if (is_available(Kernel::avx512)) result.push_back({"avx512", &goldilocks::avx512_kernels()});
  if (is_available(Kernel::ifma)) result.push_back({"ifma", &goldilocks::ifma_kernels()});
#endif
  return result;
}

// A root pass on columns of two residues, a in row 0 and b in row i, leaves the sums
// a + b root^(i f) in the places of frequency f: every sum and difference, with every power of two
// that the radix has.
void check_root_pass(const goldilocks::KernelTable& kernels, std::size_t points) {
  using goldilocks::position;
  const goldilocks::Tables tables(points, kernels.lanes);
  const auto& passes = tables.passes();
  const std::size_t radix = passes.levels[0].radix;
  const std::size_t child = passes.levels[0].child;
  std::vector<std::uint64_t> powers(radix, 1);  // of 2^(192 / radix)
  for (std::size_t k = 1; k < radix; ++k) {
    powers[k] = three_primes::multiply_mod(
        powers[k - 1], std::uint64_t{1} << (goldilocks::kOrderOfTwo / radix), goldilocks::kPrime);
  }
  Residues residues(goldilocks::kPrime);
  Spectrum values(position(points));
  bool equal = true;
  for (std::size_t done = 0; done < kOperations; done += points) {
    std::fill_n(values.data(), values.size(), 0);
    std::vector<std::array<std::uint64_t, 2>> operands(child);
    const std::size_t row = 1 + residues.below(radix - 1);
    for (std::size_t column = 0; column < child; ++column) {
      operands[column] = {residues(), residues()};
      values.data()[position(column)] = operands[column][0];
      values.data()[position(row * child + column)] = operands[column][1];
    }
    kernels.forward_root(passes, values.data(), 0, child, false);
    for (unsigned place = 0; place < radix; ++place) {
      const std::uint64_t factor =
          powers[row * goldilocks::frequency(static_cast<unsigned>(radix), place) % radix];
      for (std::size_t column = 0; column < child; ++column) {
        const auto& [a, b] = operands[column];
        const std::uint64_t sum = plain_sum(
            a, three_primes::multiply_mod(b, factor, goldilocks::kPrime), goldilocks::kPrime);
        equal =
            equal && values.data()[position(place * child + column)] % goldilocks::kPrime == sum;
      }
    }
  }
  CHECK(equal);
}

// ---- the three primes ------------------------------------------------------------------------

// Sums and differences: the radix-2 level takes a, b to a + b and a - b.
void check_sums(const three_primes::Kernels& code, const three_primes::PrimeSet& set,
                const three_primes::Prime& prime) {
  constexpr std::size_t kColumns = kOperations / 2 / 32 * 32 + 32;
  const three_primes::OwnedTables owned(prime, set.bits, {2, 1, 2}, code.form);
  three_primes::Tables tables = owned.get();
  tables.block_limbs = kColumns;  // this level alone is run: no tables of blocks are needed
  tables.stride = kColumns;
  const fhe::test::ThreePrimesWords words(code.form, set, prime.p);
  Residues residues(prime.p);
  std::vector<std::uint64_t> limbs(2 * kColumns);
  for (std::uint64_t& limb : limbs) limb = residues();
  Spectrum results(2 * kColumns);
  code.split_limbs(tables, limbs.data(), limbs.size(), results.data(), 0, kColumns);
  bool equal = true;
  for (std::size_t i = 0; i < kColumns; ++i) {
    const std::uint64_t a = limbs[i];
    const std::uint64_t b = limbs[kColumns + i];
    equal = equal && words.value(results.data()[i]) == plain_sum(a, b, prime.p);
    equal =
        equal && words.value(results.data()[kColumns + i]) == plain_sum(a, prime.p - b, prime.p);
  }
  CHECK(equal);
}

// Products: polynomials a modulo x^8 - w times the constant b are eight products a_j b each.
void check_products(const three_primes::Kernels& code, const three_primes::PrimeSet& set,
                    const three_primes::Prime& prime) {
  const three_primes::OwnedTables owned(prime, set.bits, {1, 1, 6}, code.form);
  const three_primes::Tables& tables = owned.get();
  const fhe::test::ThreePrimesWords words(code.form, set, prime.p);
  Residues residues(prime.p);
  Spectrum a(tables.stride);
  Spectrum b(tables.stride);
  Spectrum products(tables.stride);
  bool equal = true;
  for (std::size_t done = 0; done < kOperations; done += tables.block_limbs) {
    const auto next = [&] { return words.word(static_cast<std::int64_t>(residues())); };
    std::generate_n(a.data(), tables.block_limbs, next);
    std::fill_n(b.data(), tables.block_limbs, words.word(0));
    for (std::size_t i = 0; i < tables.block_limbs; i += 8) b.data()[i] = next();
    code.multiply_block(tables, products.data(), a.data(), b.data(), 0);
    for (std::size_t i = 0; i < tables.block_limbs; ++i) {
      const std::uint64_t product = three_primes::multiply_mod(
          words.value(a.data()[i]), words.value(b.data()[i / 8 * 8]), prime.p);
      equal = equal && words.value(products.data()[i]) ==
                           three_primes::multiply_mod(product, words.lost_in_products(), prime.p);
    }
  }
  CHECK(equal);
}

}  // namespace

TEST_CASE("Goldilocks: sums, differences and shifts equal plain remainders in every kernel",
          "[goldilocks]") {
  for (const auto& [name, kernels] : kernel_tables()) {
    for (const std::size_t points : {128U, 256U, 512U, 1024U, 384U, 3072U}) {
      CAPTURE(name, points);
      check_root_pass(*kernels, points);
    }
  }
}

TEST_CASE("three primes: sums, differences and products equal plain remainders, on every kernel",
          "[three_primes]") {
  for (const Kernel kernel : fhe::test::three_primes_kernels()) {
    const three_primes::Kernels& code = three_primes::kernels_of(kernel);
    for (const three_primes::PrimeSet* set : {&three_primes::kNarrow, &three_primes::kWide}) {
      for (const three_primes::Prime& prime : set->primes) {
        CAPTURE(to_string(kernel), prime.p);
        check_sums(code, *set, prime);
        check_products(code, *set, prime);
      }
    }
  }
}
