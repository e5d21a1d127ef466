// SPDX-License-Identifier: Apache-2.0
// The transforms over three primes against GMP, their fields against 128-bit integers.
#include "accel/cpu/three_primes/three_primes_plan.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include "accel/cpu/kernel.hpp"
#include "accel/cpu/three_primes/kernels.hpp"
#include "accel/cpu/three_primes/make_tables.hpp"
#include "accel/cpu/three_primes/primes.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/parallel.hpp"
#include "tests/accel/three_primes_words.hpp"
#include "tests/catch.hpp"

namespace {

using namespace fhe;
using namespace fhe::cpu;
using fhe::test::three_primes_kernels;
using fhe::test::ThreePrimesWords;
using Limbs = std::vector<Limb>;

constexpr Limb kAllOnes = ~Limb{0};

Limbs random_limbs(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Limbs limbs(count);
  for (Limb& limb : limbs) limb = random();
  return limbs;
}

// 2^exponent as a number of `count` limbs.
Limbs single_bit(std::size_t count, std::size_t exponent) {
  Limbs limbs(count);
  limbs[exponent / kLimbBits] = Limb{1} << exponent % kLimbBits;
  return limbs;
}

// x mod 2^(64 limbs) - 1, in [0, 2^(64 limbs) - 1).
Integer wrapped(const Integer& x, std::size_t limbs) {
  const Integer modulus = power_of_two(limbs * kLimbBits) - 1;
  return x % modulus;
}

Integer expected(std::span<const Limb> x, std::span<const Limb> y, std::size_t limbs) {
  return wrapped(from_limbs(x) * from_limbs(y), limbs);
}

Integer product(const TransformPlan& plan, std::span<const Limb> x, std::span<const Limb> y) {
  Limbs out(plan.limbs(), 0xdead);
  plan.product(x, y, out);
  return from_limbs(out);
}

Integer inverse(const TransformPlan& plan, Spectrum& spectrum) {
  Limbs out(plan.limbs(), 0xdead);
  plan.inverse(spectrum, out);
  return from_limbs(out);
}

// product() in all its forms: of two operands, into the memory of one, with a kept spectrum, by
// forward, multiply and inverse, and with sums.
void check_product(const TransformPlan& plan, std::span<const Limb> x, std::span<const Limb> y) {
  INFO(x.size() << " x " << y.size() << " limbs modulo 2^(64 * " << plan.limbs() << ") - 1");
  const Integer right = expected(x, y, plan.limbs());
  CHECK(product(plan, x, y) == right);
  const Spectrum a = plan.forward(x);
  const Spectrum b = plan.forward(y);
  Spectrum points;
  plan.multiply(points, a, b);
  CHECK(inverse(plan, points) == right);

  Limbs out(plan.limbs(), 0xdead);
  plan.product(x, b, out);
  CHECK(from_limbs(out) == right);
  std::ranges::fill(std::ranges::copy(x, out.begin()).out, out.end(), 0xdead);
  plan.product(std::span(out).first(x.size()), b, out);
  CHECK(from_limbs(out) == right);
  std::ranges::copy(y, out.begin());
  plan.product(x, std::span(out).first(y.size()), out);
  CHECK(from_limbs(out) == right);

  plan.multiply(points, x, b);
  CHECK(inverse(plan, points) == right);
  if (plan.max_terms() < 3) return;
  plan.multiply(points, y, a);
  plan.add_product(points, x, b);
  plan.add_product(points, a, b);
  CHECK(inverse(plan, points) == wrapped(3 * right, plan.limbs()));
}

// body(code, set) for the vector code of every kernel that runs here and both sets of primes.
void for_each_form(const std::function<void(const three_primes::Kernels& code,
                                            const three_primes::PrimeSet& set)>& body) {
  for (const Kernel kernel : three_primes_kernels()) {
    for (const three_primes::PrimeSet* set : {&three_primes::kNarrow, &three_primes::kWide}) {
      CAPTURE(to_string(kernel), set->bits);
      body(three_primes::kernels_of(kernel), *set);
    }
  }
}

// The shortest length of every shape up to `limbs`, and so every code path of the transforms.
std::vector<std::size_t> plan_lengths(std::size_t limbs) {
  std::vector<std::size_t> lengths;
  for (std::size_t length = 1; length <= limbs; length = lengths.back() + 1) {
    lengths.push_back(three_primes_plan_limbs(length));
  }
  return lengths;
}

}  // namespace

TEST_CASE("three primes: the primes are prime") {
  for (const three_primes::PrimeSet* set : {&three_primes::kNarrow, &three_primes::kWide}) {
    for (const three_primes::Prime& prime : set->primes) {
      const Integer p = prime.p;
      CHECK(mpz_probab_prime_p(p.get_mpz_t(), 40) != 0);
    }
    Integer product = 1;
    for (const three_primes::Prime& prime : set->primes) product *= prime.p;
    const Integer held = product / power_of_two(128);
    CHECK(three_primes::capacity(*set) < held);
    CHECK(Integer(three_primes::capacity(*set)) * 4097 > held * 4096 - 2 * 4096);
  }
}

TEST_CASE("three primes: lengths are close to what is asked for") {
  std::size_t before = 0;
  for (std::size_t limbs = 1; limbs <= kMaxThreePrimesPlanLimbs; limbs += 1 + limbs / 64) {
    const std::size_t length = three_primes_plan_limbs(limbs);
    CHECK(length >= limbs);
    CHECK(length >= before);
    if (limbs >= 2048) CHECK(length <= limbs + limbs / 5);
    before = length;
  }
  CHECK(three_primes_plan_limbs(kMaxThreePrimesPlanLimbs) == kMaxThreePrimesPlanLimbs);
  CHECK_THROWS(three_primes_plan_limbs(kMaxThreePrimesPlanLimbs + 1));
}

TEST_CASE("three primes: field operations agree with 128-bit integers") {
  for_each_form([](const three_primes::Kernels& code, const three_primes::PrimeSet& set) {
    // The top level and its inverse are sums of limbs times roots of unity, through every operation
    // of the field: 10^6 and more for each set of primes and each radix.
    const std::size_t columns = 16384;
    std::mt19937_64 random(1);
    for (unsigned top = 1; top <= 6; ++top) {
      const three_primes::Prime& prime = set.primes[top % three_primes::kPrimes];
      const three_primes::OwnedTables owned(prime, set.bits, {top, 1, 2}, code.form);
      three_primes::Tables tables = owned.get();
      tables.block_limbs = columns;  // the top level alone is run: no tables of blocks are needed
      tables.stride = columns;
      const std::uint64_t p = prime.p;
      const ThreePrimesWords words(code.form, set, p);
      Limbs limbs(columns * top);
      for (Limb& limb : limbs) {
        const Limb raw = random();
        limb = raw % 8 == 0 ? kAllOnes : raw % 8 == 1 ? p * (raw % 5) : raw;
      }
      Spectrum residues(columns * top);
      code.split_limbs(tables, limbs.data(), limbs.size(), residues.data(), 0, columns);
      const std::uint64_t w =
          three_primes::power_mod(prime.root, three_primes::kRootOrder / top, p);
      std::size_t wrong = 0;
      for (std::size_t column = 0; column < columns; ++column) {
        for (std::uint64_t k = 0; k < top; ++k) {
          std::uint64_t sum = 0;
          for (std::uint64_t m = 0; m < top; ++m) {
            const std::uint64_t root = three_primes::power_mod(w, m * k, p);
            sum = (sum + three_primes::multiply_mod(limbs[m * columns + column] % p, root, p)) % p;
          }
          const std::uint64_t word = residues.data()[k * columns + column];
          if (words.value(word) != sum || !words.is_within(word, words.residues())) ++wrong;
        }
      }
      CHECK(wrong == 0);
      for (std::size_t i = 0; i < residues.size(); ++i) {
        std::uint64_t& word = residues.data()[i];
        word = words.word_of(words.value(word), words.short_residues(), random);
      }
      code.inverse_top(tables, residues.data(), 0, columns, residues.data(), columns);
      for (std::size_t i = 0; i < residues.size(); ++i) {
        const std::uint64_t word = residues.data()[i];
        const std::uint64_t right = three_primes::multiply_mod(limbs[i] % p, top, p);
        if (words.value(word) != right || !words.is_within(word, words.factors())) ++wrong;
      }
      CHECK(wrong == 0);
    }
  });
}

TEST_CASE(
    "three primes: blocks agree with the evaluation of polynomials, at the ends of the ranges") {
  for_each_form([](const three_primes::Kernels& code, const three_primes::PrimeSet& set) {
    std::mt19937_64 random(2);
    for (const unsigned middle : {1U, 3U, 5U, 9U, 15U}) {
      const three_primes::Prime& prime = set.primes[middle % three_primes::kPrimes];
      const std::uint64_t p = prime.p;
      const ThreePrimesWords words(code.form, set, p);
      const three_primes::OwnedTables owned(prime, set.bits, {2, middle, 2}, code.form);
      const three_primes::Tables& tables = owned.get();
      const std::size_t block = tables.block_limbs;
      Spectrum values(2 * tables.stride);
      for (std::size_t i = 0; i < values.size(); ++i) {  // anything in the range may come
        values.data()[i] = words.extreme(words.residues(), random);
      }
      std::vector<std::uint64_t> before(block);
      for (std::size_t i = 0; i < block; ++i) {
        before[i] = words.value(values.data()[tables.stride + i]);
      }
      code.forward_block(tables, values.data(), 1);  // modulo x^block + 1
      const std::uint64_t* points = values.data() + tables.stride;
      // The points are polynomials modulo x^8 - w with w^(block / 8) = -1; the roots w are those of
      // the last level's tables.
      const three_primes::Level& last = tables.levels[tables.level_count - 1];
      const std::size_t nodes = block / 32;
      std::size_t wrong = 0;
      for (std::size_t point = 0; point < block / 8; ++point) {
        const three_primes::Multiplier* c = last.forward + 3 * (nodes + point / 4);
        std::uint64_t w = words.value(c[point % 4 < 2 ? 1 : 2]);
        if (point % 2 == 1) w = p - w;
        if (three_primes::power_mod(w, block / 8, p) != p - 1) ++wrong;
        for (std::size_t lane = 0; lane < 8; ++lane) {
          std::uint64_t sum = 0;
          for (std::size_t i = block; i-- > 0;) {
            if (i % 8 == lane) sum = (three_primes::multiply_mod(sum, w, p) + before[i]) % p;
          }
          const std::uint64_t word = points[8 * point + lane];
          if (words.value(word) != sum || !words.is_within(word, words.residues())) ++wrong;
        }
      }
      CHECK(wrong == 0);
      code.shorten_block(tables, values.data(), 1);
      // Anything in the range may come here too.
      for (std::size_t i = 0; i < block; ++i) {
        std::uint64_t& word = values.data()[tables.stride + i];
        if (!words.is_within(word, words.short_residues())) ++wrong;
        word = words.word_of(words.value(word), words.short_residues(), random);
      }
      code.inverse_block(tables, values.data(), 1);
      for (std::size_t i = 0; i < block; ++i) {
        const std::uint64_t right = three_primes::multiply_mod(before[i], block / 8, p);
        if (words.value(points[i]) != right || !words.is_within(points[i], words.short_residues()))
          ++wrong;
      }
      CHECK(wrong == 0);
    }
  });
}

TEST_CASE("three primes: products of points at the ends of the ranges") {
  for_each_form([](const three_primes::Kernels& code, const three_primes::PrimeSet& set) {
    std::mt19937_64 random(3);
    const three_primes::Prime& prime = set.primes[0];
    const std::uint64_t p = prime.p;
    const ThreePrimesWords words(code.form, set, p);
    const three_primes::OwnedTables owned(prime, set.bits, {1, 1, 4}, code.form);
    const three_primes::Tables& tables = owned.get();
    const std::size_t count = tables.block_limbs;
    Spectrum a(tables.stride);
    Spectrum b(tables.stride);
    Spectrum sum(tables.stride);
    for (std::size_t i = 0; i < count; ++i) {
      a.data()[i] = words.extreme(words.residues(), random);
      b.data()[i] = words.extreme(words.residues(), random);
      sum.data()[i] = words.extreme(words.short_residues(), random);
    }
    // Products of which all terms are as large as they can be, of one sign.
    std::fill_n(a.data(), 64, words.word(words.residues().last));
    std::fill_n(b.data(), 64, words.word(words.residues().last));
    std::fill_n(b.data() + 32, 32, words.word(words.residues().first));
    const std::vector<std::uint64_t> before(sum.data(), sum.data() + count);
    code.add_product_block(tables, sum.data(), a.data(), b.data(), 0);
    const three_primes::Level& last = tables.levels[tables.level_count - 1];
    std::size_t wrong = 0;
    for (std::size_t point = 0; point < count / 8; ++point) {
      const three_primes::Multiplier* c = last.forward + 3 * (point / 4);
      std::uint64_t w = words.value(c[point % 4 < 2 ? 1 : 2]);
      if (point % 2 == 1) w = p - w;
      const std::uint64_t* x = a.data() + 8 * point;
      const std::uint64_t* y = b.data() + 8 * point;
      for (std::size_t j = 0; j < 8; ++j) {
        std::uint64_t right = 0;
        for (std::size_t k = 0; k < 8; ++k) {
          std::uint64_t term =
              three_primes::multiply_mod(words.value(x[k]), words.value(y[(j + 8 - k) % 8]), p);
          if (k > j) term = three_primes::multiply_mod(term, w, p);
          right = (right + term) % p;
        }
        right = (three_primes::multiply_mod(right, words.lost_in_products(), p) +
                 words.value(before[8 * point + j])) %
                p;
        const std::uint64_t word = sum.data()[8 * point + j];
        if (words.value(word) != right || !words.is_within(word, words.short_residues())) ++wrong;
      }
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("three primes: digits are recombined and carried, at worst") {
  for_each_form([](const three_primes::Kernels& code, const three_primes::PrimeSet& set) {
    const std::size_t count = 512;
    std::mt19937_64 random(4);
    const three_primes::Shape shape{1, 1, 3};
    const three_primes::OwnedTables t0(set.primes[0], set.bits, shape, code.form);
    const three_primes::OwnedTables t1(set.primes[1], set.bits, shape, code.form);
    const three_primes::OwnedTables t2(set.primes[2], set.bits, shape, code.form);
    const three_primes::Recombination recombination =
        three_primes::make_recombination(set, {&t0.get(), &t1.get(), &t2.get()}, false);
    const Integer largest = Integer(three_primes::capacity(set)) * power_of_two(128) - 1;
    const Integer points = shape.limbs() / 8;
    for (int pattern = 0; pattern < 200; ++pattern) {
      std::vector<Integer> digits(count);
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t raw = random();
        switch (pattern % 5) {
          case 0:  // the largest digit everywhere
            digits[i] = largest;
            break;
          case 1:  // limbs that are all ones pass a carry on, from a random place on
            digits[i] = i == raw % count ? Integer(1) : Integer(power_of_two(64) - 1);
            break;
          case 2:  // the same from the first limb
            digits[i] = i == 0 ? largest : Integer(power_of_two(64) - 1);
            break;
          case 3:  // digits just below and at powers of two
            digits[i] = power_of_two(raw % 147) - (raw >> 32) % 2;
            break;
          default:
            digits[i] = (from_limbs(random_limbs(3, raw)) % (largest + 1));
        }
      }
      const three_primes::Spill carry{random() % 2 == 0 ? kAllOnes : random() % 4, random() % 3};
      std::array<Spectrum, three_primes::kPrimes> residues;
      const std::uint64_t* pointers[three_primes::kPrimes];
      for (std::size_t k = 0; k < three_primes::kPrimes; ++k) {
        const std::uint64_t p = set.primes[k].p;
        const ThreePrimesWords words(code.form, set, p);
        residues[k] = Spectrum(count);
        pointers[k] = residues[k].data();
        for (std::size_t i = 0; i < count; ++i) {
          const Integer unscaled = digits[i] * points % Integer(p);
          residues[k].data()[i] = words.word_of(unscaled.get_ui(), words.factors(), random);
        }
      }
      Integer right = Integer(carry.low) + Integer(carry.high) * power_of_two(64);
      for (std::size_t i = 0; i < count; ++i) right += digits[i] << (64 * i);
      Limbs out(count + 2);
      const three_primes::Spill spill =
          code.recombine(recombination, pointers, count, carry, out.data());
      out[count] = spill.low;
      out[count + 1] = spill.high;
      CHECK(from_limbs(out) == right);
    }
  });
}

TEST_CASE(
    "three primes: products of random and extreme operands, in every length up to 2000 limbs") {
  for (const Kernel kernel : three_primes_kernels()) {
    CAPTURE(to_string(kernel));
    for (const std::size_t length : plan_lengths(2000)) {
      const PlanPtr plan = make_three_primes_plan(length, kernel);
      REQUIRE(plan->limbs() == length);
      const std::size_t half = length / 2;
      check_product(*plan, random_limbs(half, 1), random_limbs(length - half, 2));
      check_product(*plan, random_limbs(length, 3), random_limbs(length, 4));  // wraps around
      check_product(*plan, random_limbs(1, 5), random_limbs(length - 1, 6));
      check_product(*plan, random_limbs(length / 3 + 3, 7), random_limbs(length / 5 + 1, 8));
      const Limbs ones(half, kAllOnes);
      check_product(*plan, ones, ones);
      check_product(*plan, Limbs(length, kAllOnes), Limbs(length, kAllOnes));  // 0 by 0
      Limbs almost(length, kAllOnes);
      almost[0] -= 1;
      check_product(*plan, almost, almost);  // (-1) (-1) = 1
      check_product(*plan, almost, random_limbs(length, 9));
      check_product(*plan, Limbs{}, random_limbs(half, 10));
      check_product(*plan, Limbs(half), ones);
      check_product(*plan, Limbs{1}, random_limbs(length, 11));
      for (const std::size_t bit :
           {std::size_t{0}, std::size_t{1}, 64 * half - 1, 64 * length - 1}) {
        check_product(*plan, single_bit(length, bit), random_limbs(length, 12));
        check_product(*plan, single_bit(length, bit), Limbs(length, kAllOnes));
        Limbs below = single_bit(length, bit);  // 2^bit - 1 and 2^bit + 1
        mpn_sub_1(below.data(), below.data(), static_cast<mp_size_t>(length), 1);
        Limbs above = single_bit(length, bit);
        above[0] += 1;
        check_product(*plan, below, above);
        check_product(*plan, below, below);
      }
    }
  }
}

TEST_CASE("three primes: random sizes in random plans") {
  for (const Kernel kernel : three_primes_kernels()) {
    CAPTURE(to_string(kernel));
    std::mt19937_64 random(20);
    for (int i = 0; i < 100; ++i) {
      const std::size_t limbs = 1 + random() % (std::size_t{1} << (4 + random() % 11));
      const PlanPtr plan = make_three_primes_plan(limbs, kernel);
      const Limbs x = random_limbs(random() % (plan->limbs() + 1), random());
      const Limbs y = random_limbs(random() % (plan->limbs() + 1), random());
      check_product(*plan, x, y);
    }
  }
}

TEST_CASE("three primes: squares, of one memory and of two") {
  for (const Kernel kernel : three_primes_kernels()) {
    CAPTURE(to_string(kernel));
    for (const std::size_t limbs : std::array<std::size_t, 4>{100, 1500, 5000, 30000}) {
      const PlanPtr plan = make_three_primes_plan(limbs, kernel);
      const Limbs x = random_limbs(plan->limbs(), limbs);
      const Limbs copy = x;
      const Integer right = expected(x, x, plan->limbs());
      CHECK(product(*plan, x, x) == right);
      CHECK(product(*plan, x, copy) == right);
      // The same memory in two lengths is no square.
      const std::span<const Limb> front = std::span(x).first(limbs / 2);
      CHECK(product(*plan, x, front) == expected(x, front, plan->limbs()));
      Spectrum spectrum = plan->forward(x);
      plan->multiply(spectrum, spectrum, spectrum);  // in place
      CHECK(inverse(*plan, spectrum) == right);
    }
  }
}

TEST_CASE("three primes: squares of extreme operands, in every length up to 2000 limbs") {
  for (const Kernel kernel : three_primes_kernels()) {
    CAPTURE(to_string(kernel));
    for (const std::size_t length : plan_lengths(2000)) {
      const PlanPtr plan = make_three_primes_plan(length, kernel);
      std::vector<Limbs> operands{random_limbs(length, length), Limbs(length, kAllOnes),
                                  Limbs(length / 2, kAllOnes), Limbs(length)};
      for (const std::size_t bit : {std::size_t{0}, 32 * length + 7, 64 * length - 1}) {
        operands.push_back(single_bit(length, bit));
        operands.push_back(single_bit(length, bit));
        operands.back()[0] += 1;
        operands.push_back(single_bit(length, bit));
        mpn_sub_1(operands.back().data(), operands.back().data(), static_cast<mp_size_t>(length),
                  1);
      }
      for (Limbs& x : operands) {
        const Integer right = expected(x, x, length);
        CHECK(product(*plan, x, x) == right);
        Limbs out = x;
        out.resize(length);
        const auto in_place = std::span<const Limb>(out).first(x.size());
        plan->product(in_place, in_place, out);
        CHECK(from_limbs(out) == right);
      }
    }
  }
}

TEST_CASE("three primes: forward and inverse undo each other") {
  for (const Kernel kernel : three_primes_kernels()) {
    CAPTURE(to_string(kernel));
    for (const std::size_t limbs : std::array<std::size_t, 4>{1, 700, 4608, 20000}) {
      const PlanPtr plan = make_three_primes_plan(limbs, kernel);
      const Limbs x = random_limbs(plan->limbs(), limbs);
      Spectrum spectrum = plan->forward(x);
      CHECK(inverse(*plan, spectrum) == from_limbs(x));
      spectrum = plan->forward(Limbs(plan->limbs(), kAllOnes));
      CHECK(inverse(*plan, spectrum) == 0);
    }
  }
}

TEST_CASE("three primes: as many products may be accumulated as is said") {
  for (const Kernel kernel : three_primes_kernels()) {
    CAPTURE(to_string(kernel));
    for (const std::size_t limbs : {std::size_t{640}, std::size_t{4608}, std::size_t{24576}}) {
      const PlanPtr plan = make_three_primes_plan(limbs, kernel);
      const std::size_t terms = plan->max_terms();
      REQUIRE(terms >= 1);
      const std::size_t length = plan->limbs();
      // All limbs at their largest: the digits of the sum reach terms * L * (2^64 - 1)^2.
      const Spectrum largest = plan->forward(Limbs(length, kAllOnes));
      Spectrum sum;
      plan->multiply(sum, largest, largest);
      for (std::size_t i = 1; i < terms; ++i) plan->add_product(sum, largest, largest);
      CHECK(inverse(*plan, sum) == 0);

      Integer right;
      const std::size_t some = std::min<std::size_t>(terms, 12);
      for (std::size_t i = 0; i < some; ++i) {
        const Limbs x = random_limbs(length, 2 * i);
        const Limbs y = i % 3 == 0 ? Limbs(length, kAllOnes - i) : random_limbs(length, 2 * i + 1);
        right += from_limbs(x) * from_limbs(y);
        if (i == 0) {
          plan->multiply(sum, plan->forward(x), plan->forward(y));
        } else {
          plan->add_product(sum, plan->forward(x), plan->forward(y));
        }
      }
      CHECK(inverse(*plan, sum) == wrapped(right, length));
    }
  }
}

TEST_CASE("three primes: any number of threads gives the same") {
  for (const Kernel kernel : three_primes_kernels()) {
    CAPTURE(to_string(kernel));
    for (const std::size_t bits : std::array<std::size_t, 3>{786432, 843033, 4251866}) {
      const std::size_t limbs = limbs_for_bits(bits);
      const PlanPtr plan = make_three_primes_plan(2 * limbs, kernel);
      const Limbs x = random_limbs(limbs, bits);
      const Limbs y = random_limbs(limbs, bits + 1);
      const Integer right = from_limbs(x) * from_limbs(y);
      const Limbs full(plan->limbs(), kAllOnes - 1);
      const Integer right_full = expected(full, full, plan->limbs());
      for (const std::size_t threads : std::array<std::size_t, 3>{1, 2, 3}) {
        const ThreadLimit limit(threads);
        CHECK(product(*plan, x, y) == right);
        CHECK(product(*plan, x, x) == from_limbs(x) * from_limbs(x));
        CHECK(product(*plan, full, full) == right_full);
        Spectrum points;
        plan->multiply(points, plan->forward(x), plan->forward(y));
        CHECK(inverse(*plan, points) == right);
        plan->multiply(points, x, plan->forward(y));
        plan->add_product(points, y, plan->forward(x));
        CHECK(inverse(*plan, points) == 2 * right);
        Limbs out(plan->limbs());
        plan->product(x, plan->forward(y), out);
        CHECK(from_limbs(out) == right);
      }
    }
  }
}

TEST_CASE("three primes: unbalanced operands") {
  for (const Kernel kernel : three_primes_kernels()) {
    CAPTURE(to_string(kernel));
    const std::size_t limbs = 50000;
    for (const std::size_t ratio : std::array<std::size_t, 5>{2, 10, 100, 1000, 10000}) {
      const PlanPtr plan = make_three_primes_plan(limbs + limbs / ratio, kernel);
      const Limbs x = random_limbs(limbs, ratio);
      const Limbs y = random_limbs(limbs / ratio, ratio + 1);
      check_product(*plan, x, y);
      check_product(*plan, y, x);
    }
  }
}

TEST_CASE("three primes: every length up to 2^17 limbs", "[long]") {
  for (const Kernel kernel : three_primes_kernels()) {
    CAPTURE(to_string(kernel));
    for (const std::size_t length : plan_lengths(std::size_t{1} << 17)) {
      const PlanPtr plan = make_three_primes_plan(length, kernel);
      check_product(*plan, random_limbs(length / 2, length), random_limbs(length / 2, length + 1));
      check_product(*plan, random_limbs(length, length), Limbs(length, kAllOnes - 1));
    }
  }
}

TEST_CASE("three primes: operands up to 40 Mbit", "[long]") {
  for (const Kernel kernel : three_primes_kernels()) {
    CAPTURE(to_string(kernel));
    for (const std::size_t bits :
         std::array<std::size_t, 6>{8388608, 19350016, 19575950, 25000000, 33554432, 40000000}) {
      const std::size_t limbs = limbs_for_bits(bits);
      const PlanPtr plan = make_three_primes_plan(2 * limbs, kernel);
      REQUIRE(plan->max_terms() >= 1);
      check_product(*plan, random_limbs(limbs, bits), random_limbs(limbs, bits + 1));
      check_product(*plan, Limbs(limbs, kAllOnes), Limbs(limbs, kAllOnes));
      Limbs almost(plan->limbs(), kAllOnes);
      almost[0] -= 1;
      CHECK(product(*plan, almost, almost) == 1);  // the largest digits there can be
      check_product(*plan, random_limbs(2 * limbs - limbs / 10000, bits),
                    random_limbs(limbs / 10000, bits + 1));
    }
  }
}
