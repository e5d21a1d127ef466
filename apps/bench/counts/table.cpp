// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/counts/table.hpp"

#include <array>
#include <random>
#include <vector>

#include <fmt/format.h>

#include "apps/bench/counts/fourier.hpp"
#include "apps/bench/counts/karatsuba.hpp"
#include "apps/bench/counts/montgomery.hpp"

namespace fhe::bench {

namespace {

constexpr std::size_t kWords = 786432 / kLimbBits;

Integer random_integer(std::mt19937_64& random) {
  std::vector<Limb> limbs(kWords);
  for (Limb& limb : limbs) limb = random();
  return from_limbs(limbs);
}

template <class Work>
WordCounts counts_of(Work work) {
  CountedWord::counts() = {};
  const Words result = work();
  return CountedWord::counts();
}

using MethodCounts = std::array<WordCounts, 3>;  // interleaved, Karatsuba, FFT

MethodCounts count_methods() {
  std::mt19937_64 random(786432);
  const Integer n = random_integer(random) | 1;
  const MontgomeryModulus modulus(n, kWords);
  const Words a = words_from(random_integer(random) % n, kWords);
  const Words b = words_from(random_integer(random) % n, kWords);
  multiply_fft(Words(kWords), Words(kWords));  // makes its tables
  return {counts_of([&] { return modulus.interleaved(a, b); }),
          counts_of([&] { return modulus.by_products(a, b, multiply_karatsuba); }),
          counts_of([&] { return modulus.by_products(a, b, multiply_fft); })};
}

struct Row {
  const char* instruction;
  std::uint64_t WordCounts::*count;
  std::array<std::uint64_t, 3> published;
};

constexpr std::array kRows = {
    Row{"dmultu", &WordCounts::multiplications, {302'002'176, 26'138'787, 2'083'530}},
    Row{"mflo/mfhi", &WordCounts::product_reads, {603'992'064, 52'277'574, 4'167'060}},
    Row{"daddu/dsubu", &WordCounts::additions, {1'207'898'112, 249'505'992, 49'345'563}},
    Row{"dsll/dsrl", &WordCounts::shifts, {0, 0, 14'112'477}},
    Row{"and/or", &WordCounts::logic, {0, 0, 4'639'830}},
    Row{"sltu", &WordCounts::comparisons, {603'942'912, 155'445'660, 25'947'906}},
    Row{"movz/movn", &WordCounts::moves, {0, 0, 25'947'906}},
};

constexpr std::uint64_t kPublishedImmediates = 1'886'934;  // of the FFT; the others have none

void print_row(const std::string& name, const std::array<std::uint64_t, 3>& counted,
               const std::array<std::uint64_t, 3>& published) {
  fmt::print("{:<16}", name);
  for (std::size_t i = 0; i < 3; ++i) fmt::print("{:>14}{:>14}", counted[i], published[i]);
  fmt::print("\n");
}

void print_rows(const MethodCounts& counts) {
  std::array<std::uint64_t, 3> published_total{0, 0, kPublishedImmediates};
  for (const Row& row : kRows) {
    print_row(row.instruction, {counts[0].*row.count, counts[1].*row.count, counts[2].*row.count},
              row.published);
    for (std::size_t i = 0; i < 3; ++i) published_total[i] += row.published[i];
  }
  print_row("load_immediate", {}, {0, 0, kPublishedImmediates});
  print_row("total", {counts[0].total(), counts[1].total(), counts[2].total()}, published_total);
}

constexpr const char* kReasons = R"(
The paper counts hand-written MIPS64 assembly; here every operation of a counting word is counted. Loads,
stores and branches are in neither. Where they differ:

interleaved  The same 2 s^2 + s word products, s = 12,288. The rest differs by a few per word of b: how the
             ends of the two inner loops add their carries; and by the final subtraction.
Karatsuba    The same three products of 8,712,929 word products each: halves down to three words, the middle
             product one word longer than a half. The base case here is one loop that also adds zeros (to
             the first row, and as the first carry of each row): most of the difference.
FFT          Nine transforms of 65,536 points in four layers of radix 16, of which each has 180,225 factors
             that are not 1 (15 * 4,095 + 240 * 255 + 3,840 * 15), and three times 65,536 pointwise products.
             The paper's counts leave 209,658 factors to a transform and load each as an immediate; here they
             lie in a table, as constants do in registers. More shifts, logic, comparisons and moves: every
             value is reduced below p after every step, twice after a shift by 64 bits and more.
)";

}  // namespace

void print_operation_counts() {
  fmt::print(
      "One modular product of 786,432 bits (table I of Wang, Huang, Emmart and Weems, 2014)\n\n");
  fmt::print("{:<16}{:>28}{:>28}{:>28}\n", "", "interleaved Montgomery", "Karatsuba", "FFT");
  fmt::print("{:<16}", "operation");
  for (std::size_t i = 0; i < 3; ++i) fmt::print("{:>14}{:>14}", "counted", "published");
  fmt::print("\n");
  print_rows(count_methods());
  fmt::print("{}", kReasons);
}

}  // namespace fhe::bench
