// SPDX-License-Identifier: Apache-2.0
// The three modular products that `fhe-bench counts` counts, against GMP.
#include "apps/bench/counts/fourier.hpp"
#include "apps/bench/counts/karatsuba.hpp"
#include "apps/bench/counts/montgomery.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

using fhe::Integer;
using fhe::bench::CountedWord;
using fhe::bench::integer_from;
using fhe::bench::MontgomeryModulus;
using fhe::bench::multiply_fft;
using fhe::bench::multiply_karatsuba;
using fhe::bench::WordCounts;
using fhe::bench::Words;
using fhe::bench::words_from;
using fhe::test::all_ones;
using fhe::test::Operands;

namespace {

constexpr std::size_t kFullWords = 12288;

// Random and extreme integers of `words` words.
std::vector<Integer> samples(Operands& operands, std::size_t words) {
  const std::size_t bits = 64 * words;
  return {Integer(0), Integer(1), all_ones(bits), operands.runs(bits), operands.bits(bits)};
}

void check_products(std::size_t words, MontgomeryModulus::Multiply multiply) {
  Operands operands(words);
  for (const Integer& a : samples(operands, words)) {
    for (const Integer& b : samples(operands, words)) {
      CAPTURE(words, a, b);
      CHECK(integer_from(multiply(words_from(a, words), words_from(b, words))) == a * b);
    }
  }
}

using Method = Words (*)(const MontgomeryModulus&, const Words&, const Words&);

Words interleaved(const MontgomeryModulus& modulus, const Words& a, const Words& b) {
  return modulus.interleaved(a, b);
}

Words by_karatsuba(const MontgomeryModulus& modulus, const Words& a, const Words& b) {
  return modulus.by_products(a, b, multiply_karatsuba);
}

Words by_fft(const MontgomeryModulus& modulus, const Words& a, const Words& b) {
  return modulus.by_products(a, b, multiply_fft);
}

void check_modular_product(Method method, const Integer& n, std::size_t words, const Integer& a,
                           const Integer& b) {
  CAPTURE(words, n, a, b);
  const MontgomeryModulus modulus(n, words);
  const Integer c = integer_from(method(modulus, words_from(a, words), words_from(b, words)));
  CHECK(c < n);
  CHECK((c * fhe::power_of_two(64 * words) - a * b) % n == 0);
}

void check_method(Method method, std::size_t words) {
  Operands operands(words);
  for (const Integer& sample : samples(operands, words)) {
    const Integer n = sample | 1;
    check_modular_product(method, n, words, n - 1, n - 1);
    check_modular_product(method, n, words, operands.below(n), operands.below(n));
    check_modular_product(method, n, words, 0, operands.below(n));
  }
}

void check_full_size(Method method) {
  Operands operands(kFullWords);
  const Integer n = operands.exactly(64 * kFullWords) | 1;
  check_modular_product(method, n, kFullWords, operands.below(n), operands.below(n));
  check_modular_product(method, all_ones(64 * kFullWords), kFullWords,
                        all_ones(64 * kFullWords) - 1, all_ones(64 * kFullWords) - 1);
}

}  // namespace

TEST_CASE("a Karatsuba product on counting words equals GMP's", "[bench]") {
  for (std::size_t words = 1; words <= 40; ++words) check_products(words, multiply_karatsuba);
}

TEST_CASE("a transform product on counting words equals GMP's", "[bench]") {
  for (const std::size_t words : {3U, 48U, 768U}) check_products(words, multiply_fft);
}

TEST_CASE("Montgomery products on counting words equal GMP's", "[bench]") {
  for (const std::size_t words : {1U, 2U, 3U, 4U, 7U, 24U, 25U, 48U}) {
    check_method(interleaved, words);
    check_method(by_karatsuba, words);
  }
  for (const std::size_t words : {3U, 48U, 768U}) check_method(by_fft, words);
}

TEST_CASE("a transform product of 786,432 bits on counting words equals GMP's", "[bench]") {
  check_full_size(by_fft);
}

TEST_CASE("Karatsuba and interleaved products of 786,432 bits on counting words", "[bench][long]") {
  check_full_size(by_karatsuba);
  check_full_size(interleaved);
}

TEST_CASE("word products are counted: interleaved 2 s^2 + s, Karatsuba as published", "[bench]") {
  const Words a(48, CountedWord(5));
  const MontgomeryModulus modulus(all_ones(64 * 48), 48);
  CountedWord::counts() = {};
  CHECK(modulus.interleaved(a, a).size() == 48);
  CHECK(CountedWord::counts().multiplications == 2 * 48 * 48 + 48);
  CHECK(CountedWord::counts().shifts + CountedWord::counts().logic + CountedWord::counts().moves ==
        0);

  const Words b(kFullWords, CountedWord(5));
  CountedWord::counts() = {};
  CHECK(multiply_karatsuba(b, b).size() == 2 * kFullWords);
  CHECK(3 * CountedWord::counts().multiplications == 26'138'787);
  CHECK(CountedWord::counts().product_reads == 2 * CountedWord::counts().multiplications);
}
