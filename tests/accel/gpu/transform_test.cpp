// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "accel/gpu/backend/arithmetic.hpp"
#include "accel/gpu/kernels/all.hpp"
#include "tests/catch.hpp"

namespace fhe::gpu {

namespace {

__extension__ using Wide = unsigned __int128;

Word plain_product(Word a, Word b) {
  return static_cast<Word>(static_cast<Wide>(a) * b % kPrime);
}

Word plain_power(Word base, Word exponent) {
  Word result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = plain_product(result, base);
    base = plain_product(base, base);
  }
  return result;
}

const std::vector<Word>& edges() {
  static const std::vector<Word> words = [] {
    std::vector<Word> list{0, 1, 2, kEpsilon - 1, kEpsilon, kEpsilon + 1, Word{1} << 63};
    for (Word i = 1; i <= 3; ++i) list.push_back(kPrime - i);
    std::mt19937_64 random(5);
    for (int i = 0; i < 40; ++i) list.push_back(random() % kPrime);
    return list;
  }();
  return words;
}

// A plan for transforms alone.
Plan plan_of(unsigned log_length) {
  return {.log_length = log_length, .digit_bits = kWordBits, .terms = 1};
}

std::vector<Word> transformed(const Arithmetic& arithmetic, const Plan& plan,
                              const std::vector<Word>& values) {
  const Buffer in(arithmetic.device(), values);
  const Buffer out = arithmetic.room(plan.length());
  const Number number{in.at(), values.size()};
  arithmetic.forward(plan, std::span(&number, 1), out.at());
  std::vector<Word> result(plan.length());
  out.get(result);
  return result;
}

}  // namespace

TEST_CASE("the field is that of plain arithmetic at its edges") {
  for (const Word a : edges()) {
    for (const Word b : edges()) {
      CAPTURE(a, b);
      CHECK(field_add(a, b) == static_cast<Word>((static_cast<Wide>(a) + b) % kPrime));
      CHECK(field_subtract(a, b) ==
            static_cast<Word>((static_cast<Wide>(a) + kPrime - b) % kPrime));
      CHECK(field_multiply(a, b) == plain_product(a, b));
      const Wide both = static_cast<Wide>(a) << 64 | b;
      CHECK(field_reduce(b, a) == static_cast<Word>(both % kPrime));
    }
    for (unsigned shift = 0; shift < 192; ++shift) {
      CHECK(field_shift(a, shift) == plain_product(a, plain_power(2, shift)));
    }
    CHECK(field_reduce(~Word{0}, ~a) ==
          static_cast<Word>((static_cast<Wide>(~a) << 64 | ~Word{0}) % kPrime));
  }
}

TEST_CASE("a transform has the values of its polynomial at the powers of a root") {
  const Arithmetic arithmetic(host_device());
  for (unsigned log_length = kLeastLogLength; log_length <= 14; ++log_length) {
    const Plan plan = plan_of(log_length);
    CAPTURE(log_length);
    // x^1 gives the points themselves, each once, and each of order 2^log_length or less.
    const std::vector<Word> points = transformed(arithmetic, plan, {0, 1});
    std::vector<Word> sorted = points;
    std::ranges::sort(sorted);
    CHECK(std::ranges::adjacent_find(sorted) == sorted.end());
    for (const Word point : points) REQUIRE(plain_power(point, plan.length()) == 1);
    // and c_0 + c_1 x + ... + c_k x^k their values
    std::mt19937_64 random(log_length);
    std::vector<Word> coefficients(plan.length());
    for (const std::size_t k : {std::size_t{2}, plan.length() / 2 + 1, plan.length() - 1}) {
      coefficients[k] = random() % kPrime;
    }
    const std::vector<Word> values = transformed(arithmetic, plan, coefficients);
    for (std::size_t i = 0; i < values.size(); ++i) {
      Word expected = 0;
      for (const std::size_t k : {std::size_t{2}, plan.length() / 2 + 1, plan.length() - 1}) {
        expected = field_add(expected, plain_product(coefficients[k], plain_power(points[i], k)));
      }
      REQUIRE(values[i] == expected);
    }
  }
}

TEST_CASE("products of ones and of zeros carry through all chunks") {
  const Arithmetic arithmetic(host_device());
  for (const std::size_t words : {1U, 31U, 32U, 33U, 64U, 1000U, 40'000U}) {
    const std::vector<Word> ones(words, ~Word{0});
    const Buffer x(arithmetic.device(), ones);
    const Word one = 1;
    const Buffer y(arithmetic.device(), std::span(&one, 1));
    const Buffer sum = arithmetic.room(words);
    const Buffer carry = arithmetic.room(1);
    const auto read = [&] {
      std::vector<Word> result(words);
      sum.get(result);
      Word flag = 7;
      carry.get(std::span(&flag, 1));
      result.push_back(flag);
      return result;
    };
    CAPTURE(words);
    const Arithmetic::Addition up{{x.at(), words}, {y.at(), 1}, sum.at()};
    arithmetic.add(std::span(&up, 1), words, carry.at());  // 2^(64 words) - 1 + 1
    std::vector<Word> expected(words + 1);
    expected.back() = 1;
    CHECK(read() == expected);
    const Arithmetic::Addition down{{nullptr, 0}, {y.at(), 1}, sum.at()};
    arithmetic.subtract(std::span(&down, 1), words, carry.at());  // 0 - 1
    expected = ones;
    expected.push_back(0);
    CHECK(read() == expected);
    const Arithmetic::Addition same{{x.at(), words}, {x.at(), words}, sum.at()};
    arithmetic.subtract(std::span(&same, 1), words, carry.at());
    expected.assign(words + 1, 0);
    expected.back() = 1;
    CHECK(read() == expected);
  }
}

TEST_CASE("a transform and its inverse give what was there, for every length", "[long]") {
  const Arithmetic arithmetic(host_device());
  for (unsigned log_length = kLeastLogLength; log_length <= kMostLogLength; ++log_length) {
    const Plan plan{.log_length = log_length, .digit_bits = 16, .terms = 1};
    std::mt19937_64 random(log_length);
    std::vector<Word> words(plan.length() / 4);
    for (Word& word : words) word = random();
    const Buffer in(arithmetic.device(), words);
    const Buffer spectrum = arithmetic.room(plan.length());
    const Number number{in.at(), words.size()};
    arithmetic.forward(plan, std::span(&number, 1), spectrum.at());
    const Buffer out = arithmetic.room(words.size());
    Word* const place = out.at();
    arithmetic.inverse(plan, spectrum.at(), std::span(&place, 1), words.size());
    std::vector<Word> back(words.size());
    out.get(back);
    CAPTURE(log_length);
    CHECK(back == words);
  }
}

}  // namespace fhe::gpu
