// SPDX-License-Identifier: Apache-2.0
// The transform over p = 2^64 - 2^32 + 1 with every kernel that this machine runs: its passes
// against the definition of a DFT, its products against GMP.
#include "accel/cpu/goldilocks/goldilocks_plan.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "accel/cpu/goldilocks/field.hpp"
#include "accel/cpu/goldilocks/kernel_table.hpp"
#include "accel/cpu/goldilocks/tables.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/parallel.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::Integer;
using fhe::Limb;
using fhe::ThreadLimit;
using fhe::cpu::goldilocks_plan_limbs;
using fhe::cpu::Kernel;
using fhe::cpu::make_goldilocks_plan;
using fhe::cpu::PlanPtr;
using fhe::cpu::Spectrum;
using fhe::cpu::TransformPlan;
using fhe::cpu::goldilocks::KernelTable;
using fhe::cpu::goldilocks::kLeaf;
using fhe::cpu::goldilocks::kPrime;
using fhe::cpu::goldilocks::position;
using fhe::cpu::goldilocks::Tables;
using Limbs = std::vector<Limb>;

constexpr Limb kOnes = ~Limb{0};

std::vector<Kernel> kernels() {
  return fhe::cpu::available_kernels();
}

const KernelTable& kernels_of(Kernel kernel) {
#if defined(__x86_64__)
  if (kernel == Kernel::avx2) return fhe::cpu::goldilocks::avx2_kernels();
  if (kernel == Kernel::avx512) return fhe::cpu::goldilocks::avx512_kernels();
  if (kernel == Kernel::ifma) return fhe::cpu::goldilocks::ifma_kernels();
#else
  static_cast<void>(kernel);
#endif
  return fhe::cpu::goldilocks::portable_kernels();
}

// ---- residues ----------------------------------------------------------------------------------

__extension__ using Wide = unsigned __int128;

// The slow truth: remainders by the language's own division.
std::uint64_t plain_multiply(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(static_cast<Wide>(a) * b % kPrime);
}
std::uint64_t plain_add(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>((static_cast<Wide>(a) + b) % kPrime);
}
std::uint64_t plain_power(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result = plain_multiply(result, base);
    base = plain_multiply(base, base);
  }
  return result;
}

// Words at which a carry or a borrow changes, and random ones between them.
class EdgeWords {
 public:
  explicit EdgeWords(std::uint64_t seed, bool canonical) : random_(seed), canonical_(canonical) {}

  std::uint64_t operator()() {
    static constexpr std::array<std::uint64_t, 16> kEdges{0,
                                                          1,
                                                          2,
                                                          0x7fffffff,
                                                          0xfffffffe,
                                                          0xffffffff,
                                                          0x100000000,
                                                          0x100000001,
                                                          kPrime - 1,
                                                          kPrime - 2,
                                                          kPrime - 0xffffffff,
                                                          kPrime - 0x100000000,
                                                          0x7fffffffffffffff,
                                                          0x8000000000000000,
                                                          kPrime >> 1,
                                                          (kPrime >> 1) + 1};
    const std::uint64_t word = random_();
    switch (random_() % 4) {
      case 0:
        return kEdges[word % kEdges.size()];
      case 1:
        return std::uint64_t{1} << (word % 64) >> (word >> 32 & 1);
      case 2:
        return canonical_ ? (kPrime - 1) - (word & 0xffff) : kOnes - (word & 0x1ffffffff);
      default:
        return canonical_ ? word % kPrime : word;
    }
  }

 private:
  std::mt19937_64 random_;
  bool canonical_;
};

// ---- integers ----------------------------------------------------------------------------------

Limbs random_limbs(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Limbs result(count);
  for (Limb& limb : result) limb = random();
  return result;
}

Limbs power_of_two(std::size_t count, std::size_t exponent) {
  Limbs result(count, 0);
  result[exponent / 64] = Limb{1} << (exponent % 64);
  return result;
}

// Integers of `count` limbs that try carries: random, all ones, long runs, bits, 2^k +- 1.
std::vector<Limbs> operands(std::size_t count, std::uint64_t seed) {
  const std::size_t bits = 64 * count;
  std::vector<Limbs> result{
      random_limbs(count, seed), Limbs(count, kOnes),           Limbs(count, 0),
      power_of_two(count, 0),    power_of_two(count, bits - 1), power_of_two(count, bits / 3)};
  Limbs below = power_of_two(count, bits - 1);
  mpn_sub_1(below.data(), below.data(), static_cast<mp_size_t>(count), 1);
  result.push_back(below);
  Limbs above = power_of_two(count, bits / 2);
  mpn_add_1(above.data(), above.data(), static_cast<mp_size_t>(count), 1);
  result.push_back(above);
  Limbs runs(count);
  mpn_random2(runs.data(), static_cast<mp_size_t>(count));  // long runs of equal bits
  result.push_back(runs);
  return result;
}

// value mod 2^(64 limbs) - 1, as exactly that many limbs.
Limbs wrapped(const Integer& value, std::size_t limbs) {
  const Integer modulus = fhe::power_of_two(64 * limbs) - 1;
  const Integer rest = value % modulus;
  Limbs result(limbs, 0);
  const std::span<const Limb> from = fhe::limbs_of(rest);
  std::copy(from.begin(), from.end(), result.begin());
  return result;
}

Limbs reference(const Limbs& x, const Limbs& y, std::size_t limbs) {
  return wrapped(fhe::from_limbs(x) * fhe::from_limbs(y), limbs);
}

Limbs product(const TransformPlan& plan, const Limbs& x, const Limbs& y) {
  Limbs result(plan.limbs(), 0x5555);
  plan.product(x, y, result);
  return result;
}

Limbs product_by_steps(const TransformPlan& plan, const Limbs& x, const Limbs& y) {
  Spectrum result;
  plan.multiply(result, plan.forward(x), plan.forward(y));
  Limbs out(plan.limbs(), 0x5555);
  plan.inverse(result, out);
  return out;
}

}  // namespace

TEST_CASE("Goldilocks: scalar arithmetic equals plain remainders", "[goldilocks]") {
  EdgeWords words(1, true);
  bool equal = true;
  for (int i = 0; i < 1'000'000; ++i) {
    const std::uint64_t a = words();
    const std::uint64_t b = words();
    equal = equal && fhe::cpu::goldilocks::multiply(a, b) == plain_multiply(a, b);
  }
  CHECK(equal);
  CHECK(fhe::cpu::goldilocks::multiply(fhe::cpu::goldilocks::inverse(5), 5) == 1);
}

TEST_CASE("Goldilocks: roots of unity have their powers of two", "[goldilocks]") {
  for (std::uint64_t points = 128; points <= std::uint64_t{1} << 24; points *= 2) {
    for (const std::uint64_t n : {points, 3 * points}) {
      const std::uint64_t root = fhe::cpu::goldilocks::root_of_unity(n);
      CHECK(plain_power(root, n / 64) == 8);
      CHECK(plain_power(root, n / 2) == kPrime - 1);
      CHECK(plain_power(root, n) == 1);
      if (n % 3 == 0) CHECK(plain_power(root, n / 3) == 0xffffffff);
    }
  }
}

TEST_CASE("Goldilocks: pointwise products equal plain remainders in every kernel", "[goldilocks]") {
  constexpr std::size_t kCount = 512;
  for (const Kernel kernel : kernels()) {
    CAPTURE(to_string(kernel));
    const KernelTable& kernels = kernels_of(kernel);
    EdgeWords any(2, false);
    EdgeWords canonical(3, true);
    Spectrum a(kCount);
    Spectrum b(kCount);
    Spectrum products(kCount);
    Spectrum sums(kCount);
    bool equal = true;
    for (int round = 0; round < 2000; ++round) {
      std::generate_n(a.data(), kCount, std::ref(any));
      std::generate_n(b.data(), kCount, std::ref(any));
      std::generate_n(sums.data(), kCount, std::ref(canonical));
      const std::vector<std::uint64_t> before(sums.data(), sums.data() + kCount);
      kernels.multiply(products.data(), a.data(), b.data(), kCount);
      kernels.add_product(sums.data(), a.data(), b.data(), kCount);
      for (std::size_t i = 0; i < kCount; ++i) {
        const std::uint64_t expected = plain_multiply(a.data()[i], b.data()[i]);
        equal = equal && products.data()[i] == expected &&
                sums.data()[i] == plain_add(before[i], expected);
      }
    }
    CHECK(equal);
  }
}

// Every shift, butterfly and factor of a pass against sum x_i y^i.
TEST_CASE("Goldilocks: transforms equal the DFT by its definition", "[goldilocks]") {
  for (const std::size_t points : {128U, 256U, 384U, 512U, 768U, 1024U, 1536U, 2048U, 3072U}) {
    const std::uint64_t root = fhe::cpu::goldilocks::root_of_unity(points);
    std::vector<std::uint64_t> powers(points, 1);
    for (std::size_t i = 1; i < points; ++i) powers[i] = plain_multiply(powers[i - 1], root);
    std::vector<unsigned> levels = fhe::cpu::goldilocks::radices(points);
    const std::vector<std::size_t> exponents = fhe::cpu::goldilocks::node_exponents(levels);

    for (const Kernel kernel : kernels()) {
      CAPTURE(points, to_string(kernel));
      const KernelTable& kernels = kernels_of(kernel);
      const Tables tables(points, kernels.lanes);
      const auto& passes = tables.passes();
      const std::size_t columns = passes.levels[0].child;
      const std::size_t step = std::min<std::size_t>(columns, 512);
      for (const bool half : {false, true}) {
        EdgeWords words(points + half, true);
        Spectrum spectrum(position(points));
        std::vector<std::uint64_t> x(points, 0);
        std::generate_n(x.begin(), half ? points / 2 : points, std::ref(words));
        for (std::size_t i = 0; i < points; ++i) {
          spectrum.data()[position(i)] = half && i >= points / 2 ? 12345 : x[i];
        }
        for (std::size_t at = 0; at < columns; at += step) {
          kernels.forward_root(passes, spectrum.data(), at, step, half);
        }
        kernels.forward_children(passes, spectrum.data(), 0, points);

        bool equal = true;
        const std::size_t w = kernels.lanes;
        for (std::size_t leaf = 0; leaf < points / kLeaf; ++leaf) {
          for (unsigned place = 0; place < kLeaf; ++place) {
            // The leaf is modulo x^16 - root^(16 e): its points are root^(e + f N / 16).
            const std::size_t exponent =
                exponents[leaf] + points / kLeaf * fhe::cpu::goldilocks::frequency(kLeaf, place);
            std::uint64_t sum = 0;
            for (std::size_t i = 0; i < points; ++i) {
              sum = plain_add(sum, plain_multiply(x[i], powers[i * exponent % points]));
            }
            const std::size_t at = leaf / w * w * kLeaf + place * w + leaf % w;
            equal = equal && spectrum.data()[position(at)] % kPrime == sum;
          }
        }
        CHECK(equal);

        Spectrum ones(512);
        std::fill_n(ones.data(), 512, 1);
        for (std::size_t at = 0; at < points; at += 512) {
          std::uint64_t* block = spectrum.data() + position(at);
          kernels.multiply(block, block, ones.data(), std::min<std::size_t>(512, points - at));
        }
        kernels.inverse_children(passes, spectrum.data(), nullptr, 0, points);
        for (std::size_t at = 0; at < columns; at += step) {
          kernels.inverse_root(passes, spectrum.data(), at, step);
        }
        bool back = true;
        for (std::size_t i = 0; i < points; ++i) {
          back = back && spectrum.data()[position(i)] == x[i];
        }
        CHECK(back);
      }
    }
  }
}

// 10^6 residues per kernel through all passes and back, a third of them at the edges.
TEST_CASE("Goldilocks: inverse transforms undo transforms of edge values", "[goldilocks]") {
  constexpr std::size_t kPoints = 3 * 16384;
  for (const Kernel kernel : kernels()) {
    CAPTURE(to_string(kernel));
    const KernelTable& kernels = kernels_of(kernel);
    const Tables tables(kPoints, kernels.lanes);
    const auto& passes = tables.passes();
    Spectrum ones(512);
    std::fill_n(ones.data(), 512, 1);
    bool equal = true;
    for (std::uint64_t round = 0; round < 22; ++round) {
      EdgeWords words(round, true);
      std::vector<std::uint64_t> x(kPoints);
      std::generate(x.begin(), x.end(), std::ref(words));
      Spectrum spectrum(position(kPoints));
      for (std::size_t i = 0; i < kPoints; ++i) spectrum.data()[position(i)] = x[i];
      const std::size_t columns = passes.levels[0].child;
      const std::size_t step = std::min<std::size_t>(columns, 512);
      for (std::size_t at = 0; at < columns; at += step) {
        kernels.forward_root(passes, spectrum.data(), at, step, false);
      }
      kernels.forward_children(passes, spectrum.data(), 0, kPoints);
      for (std::size_t at = 0; at < kPoints; at += 512) {
        std::uint64_t* block = spectrum.data() + position(at);
        kernels.multiply(block, block, ones.data(), 512);
      }
      kernels.inverse_children(passes, spectrum.data(), nullptr, 0, kPoints);
      for (std::size_t at = 0; at < columns; at += step) {
        kernels.inverse_root(passes, spectrum.data(), at, step);
      }
      for (std::size_t i = 0; i < kPoints; ++i) {
        equal = equal && spectrum.data()[position(i)] == x[i];
      }
    }
    CHECK(equal);
  }
}

TEST_CASE("Goldilocks: digits are cut and joined as the definition says", "[goldilocks]") {
  constexpr std::size_t kCount = 512;
  for (const Kernel kernel : kernels()) {
    const KernelTable& kernels = kernels_of(kernel);
    for (unsigned bits = 20; bits <= 28; ++bits) {
      CAPTURE(to_string(kernel), bits);
      const std::size_t limbs = kCount * bits / 64;
      Limbs x = random_limbs(limbs + 2, bits);
      Spectrum digits(kCount);
      kernels.split(digits.data(), x.data(), kCount, bits);
      const Integer value = fhe::from_limbs(std::span<const Limb>(x).first(limbs));
      bool equal = true;
      for (std::size_t i = 0; i < kCount; ++i) {
        const Integer digit = (value >> (i * bits)) % fhe::power_of_two(bits);
        equal = equal && digit == Integer(static_cast<unsigned long>(digits.data()[i]));
      }
      CHECK(equal);

      // Coefficients whose digits are all ones let a carry run through everything.
      for (const int kind : {0, 1, 2, 3, 4}) {
        CAPTURE(kind);
        Spectrum coefficients(kCount);
        EdgeWords words(bits, true);
        for (std::size_t i = 0; i < kCount; ++i) {
          const std::uint64_t ones = (std::uint64_t{1} << bits) - 1;
          coefficients.data()[i] = kind == 0   ? words()
                                   : kind == 1 ? kPrime - 1
                                   : kind == 2 ? ones
                                   : kind == 3 ? (i == 0 ? ones + 1 : ones)
                                               : 0;
        }
        for (const unsigned carry : {0U, 1U}) {
          alignas(64) std::array<std::uint64_t, 8> before{};
          Limbs out(limbs, 0x5555);
          const unsigned carry_out =
              kernels.join(out.data(), coefficients.data(), before.data(), kCount, bits, carry);
          Integer sum = carry;
          for (std::size_t i = 0; i < kCount; ++i) {
            sum += Integer(static_cast<unsigned long>(coefficients.data()[i])) << (i * bits);
          }
          CHECK(fhe::from_limbs(out) == sum % fhe::power_of_two(64 * limbs));
          CHECK(carry_out <= 1);
          if (kind == 2 || kind == 3) {
            CHECK(carry_out == (kind == 3 ? 1 : carry));
          }
        }
      }
    }
  }
}

TEST_CASE("Goldilocks: plan lengths", "[goldilocks]") {
  std::size_t last = 0;
  for (std::size_t limbs = 1; limbs < 100'000; limbs += 1 + limbs / 7) {
    const std::size_t chosen = goldilocks_plan_limbs(limbs);
    CHECK(chosen >= limbs);
    CHECK(chosen >= last);
    CHECK(goldilocks_plan_limbs(chosen) == chosen);
    if (limbs > 100) CHECK(chosen * 2 < limbs * 3);
    last = chosen;
  }
  CHECK_THROWS_AS(goldilocks_plan_limbs(std::size_t{1} << 40), std::length_error);
  for (const std::size_t limbs : {1U, 1000U, 24576U}) {
    const PlanPtr plan = make_goldilocks_plan(limbs, Kernel::portable);
    CHECK(plan->limbs() == goldilocks_plan_limbs(limbs));
    CHECK(plan->max_terms() >= 1);
  }
}

TEST_CASE("Goldilocks: products equal GMP's, wrapped or not", "[goldilocks]") {
  for (const Kernel kernel : kernels()) {
    for (const std::size_t limbs : {1U, 50U, 60U, 150U, 170U, 300U, 400U, 700U, 1000U, 2500U}) {
      const PlanPtr plan = make_goldilocks_plan(limbs, kernel);
      CAPTURE(to_string(kernel), plan->limbs());
      const std::size_t full = plan->limbs();
      for (const std::size_t size : {std::size_t{1}, full / 3, full / 2, full / 2 + 1, full}) {
        const std::vector<Limbs> xs = operands(size, limbs);
        const std::vector<Limbs> ys = operands(size == full / 3 ? full : size, limbs + 1);
        for (std::size_t i = 0; i < xs.size(); ++i) {
          for (std::size_t j = 0; j < ys.size(); ++j) {
            if (limbs > 500 && i != j && i > 1) continue;
            const Limbs expected = reference(xs[i], ys[j], full);
            CHECK(product(*plan, xs[i], ys[j]) == expected);
            if (i <= j) CHECK(product_by_steps(*plan, xs[i], ys[j]) == expected);
          }
          CHECK(product(*plan, xs[i], xs[i]) == reference(xs[i], xs[i], full));
        }
      }
      CHECK(product(*plan, Limbs{}, Limbs(full, kOnes)) == Limbs(full, 0));
    }
  }
}

TEST_CASE("Goldilocks: a square of all ones wraps to one limb", "[goldilocks]") {
  for (const Kernel kernel : kernels()) {
    const PlanPtr plan = make_goldilocks_plan(2000, kernel);
    const std::size_t full = plan->limbs();
    // 2^(64 L) - 1 is zero; the square of 2^(64 L) - 2, which is -1, is one.
    CHECK(product(*plan, Limbs(full, kOnes), Limbs(full, kOnes)) == Limbs(full, 0));
    Limbs minus_one(full, kOnes);
    minus_one[0] -= 1;
    CHECK(product(*plan, minus_one, minus_one) == power_of_two(full, 0));
    CHECK(product(*plan, minus_one, power_of_two(full, 0)) == minus_one);
  }
}

TEST_CASE("Goldilocks: as many terms as the bound allows", "[goldilocks]") {
  for (const Kernel kernel : kernels()) {
    for (const std::size_t limbs : {40U, 42U, 110U, 200U, 2050U}) {
      const PlanPtr plan = make_goldilocks_plan(limbs, kernel);
      CAPTURE(to_string(kernel), plan->limbs(), plan->max_terms());
      const std::size_t terms = std::min<std::size_t>(plan->max_terms(), 200);
      const Limbs ones(plan->limbs() - 1, kOnes);  // the largest digits
      const Limbs random = random_limbs(plan->limbs(), 9);
      const Spectrum a = plan->forward(ones);
      const Spectrum b = plan->forward(random);
      for (const bool worst : {true, false}) {
        const Spectrum& factor = worst ? a : b;
        Spectrum sum;
        plan->multiply(sum, a, factor);
        for (std::size_t term = 1; term < terms; ++term) plan->add_product(sum, a, factor);
        Limbs out(plan->limbs());
        plan->inverse(sum, out);
        CHECK(out == wrapped(fhe::from_limbs(ones) * fhe::from_limbs(worst ? ones : random) *
                                 static_cast<unsigned long>(terms),
                             plan->limbs()));
      }
    }
  }
}

TEST_CASE("Goldilocks: unbalanced operands and one spectrum for both factors", "[goldilocks]") {
  for (const Kernel kernel : kernels()) {
    const PlanPtr plan = make_goldilocks_plan(9000, kernel);
    const Limbs x = random_limbs(8900, 1);
    for (const std::size_t size : {1U, 2U, 3U, 17U, 90U}) {
      CAPTURE(to_string(kernel), size);
      for (const Limbs& y : operands(size, size)) {
        CHECK(product(*plan, x, y) == reference(x, y, plan->limbs()));
      }
    }
    Spectrum square = plan->forward(x);
    plan->multiply(square, square, square);
    Limbs out(plan->limbs());
    plan->inverse(square, out);
    CHECK(out == reference(x, x, plan->limbs()));
  }
}

TEST_CASE("Goldilocks: any number of threads gives the same product", "[goldilocks]") {
  for (const Kernel kernel : kernels()) {
    for (const std::size_t limbs : {24'576U, 30'000U}) {
      const PlanPtr plan = make_goldilocks_plan(limbs, kernel);
      const Limbs x = random_limbs(limbs / 2, 1);
      const Limbs ones(plan->limbs() / 2, kOnes);
      const Limbs expected = reference(x, ones, plan->limbs());
      for (const std::size_t threads : {1U, 2U, 3U}) {
        CAPTURE(to_string(kernel), limbs, threads);
        const ThreadLimit limit(threads);
        CHECK(product(*plan, x, ones) == expected);
        CHECK(product_by_steps(*plan, x, ones) == expected);
      }
      // A carry that runs through all ranges and around.
      Limbs minus_one(plan->limbs(), kOnes);
      minus_one[0] -= 1;
      for (const std::size_t threads : {1U, 3U}) {
        const ThreadLimit limit(threads);
        CHECK(product(*plan, minus_one, minus_one) == power_of_two(plan->limbs(), 0));
      }
    }
  }
}

TEST_CASE("Goldilocks: products up to 80 Mbit", "[goldilocks][long]") {
  for (const Kernel kernel : kernels()) {
    for (const std::size_t bits : {3'000'000U, 4'250'000U, 11'000'000U, 19'580'000U, 40'000'000U}) {
      if (kernel == Kernel::portable && bits > 20'000'000) continue;
      const std::size_t limbs = bits / 64;
      const PlanPtr plan = make_goldilocks_plan(2 * limbs, kernel);
      CAPTURE(to_string(kernel), bits, plan->limbs());
      for (const bool worst : {false, true}) {
        const Limbs x = worst ? Limbs(limbs, kOnes) : random_limbs(limbs, bits);
        const Limbs y = worst ? Limbs(limbs, kOnes) : random_limbs(limbs, bits + 1);
        Limbs expected(plan->limbs(), 0);
        mpn_mul(expected.data(), x.data(), static_cast<mp_size_t>(limbs), y.data(),
                static_cast<mp_size_t>(limbs));
        CHECK((product(*plan, x, y) == expected));
      }
    }
  }
}
