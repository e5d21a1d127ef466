// SPDX-License-Identifier: Apache-2.0
// Modular arithmetic on the engine at its edges: moduli that fill their limbs or barely start one,
// largest operands, long dot products, arguments at the limit of the fast reduction.
#include <algorithm>
#include <vector>

#include "libfhe/arith/registry.hpp"
#include "libfhe/arith/ring.hpp"
#include "libfhe/error.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

namespace {

// Every kernel of both fields that this processor runs.
std::vector<BackendPtr> engines() {
  std::vector<BackendPtr> engines;
  for (const BackendFactory& factory : registered_backends()) {
    for (const std::string& variant : factory.variants) {
      try {
        engines.push_back(open_backend(factory.name + ":" + variant));
      } catch (const Error& error) {
        if (error.code() != ErrorCode::unsupported) throw;
      }
    }
  }
  return engines;
}

// The last three have a short complement: up to where the engine takes it for one, and beyond.
std::vector<Integer> moduli(std::size_t bits) {
  const Integer top = power_of_two(bits);
  const std::size_t r_bits = std::min<std::size_t>(4096, bits / 2);
  return {top - 1,
          top / 2 + 1,
          top / 2,
          top - power_of_two(bits / 2),
          top / 3 * 2 + 1,
          top - power_of_two(r_bits) + 1,
          top - power_of_two(r_bits - 1) - 12345,
          top - power_of_two(r_bits)};
}

void check_sums(const Ring& ring, const Integer& n) {
  const std::vector<Integer> values{0, 1, 2, n / 2, n - 2, n - 1, Integer(n * 2 / 3)};
  for (const Integer& x : values) {
    for (const Integer& y : values) {
      const Integer difference = x - y;
      CHECK(ring.add(x, y) == (x + y) % n);
      CHECK(ring.subtract(x, y) == (difference < 0 ? Integer(difference + n) : difference));
    }
  }
}

void check_products(const Ring& ring, const Integer& n) {
  const std::vector<Integer> values{0, 1, 2, n / 2, n - 2, n - 1, Integer(n * 2 / 3)};
  for (const Integer& x : values) {
    const Operand prepared = ring.prepare(x);
    for (const Integer& y : values) {
      const Integer expected = x * y % n;
      CHECK(ring.multiply(x, y) == expected);
      CHECK(ring.multiply(prepared, y) == expected);
      CHECK(ring.multiply(prepared, ring.prepare(y)) == expected);
    }
  }
}

// Sums of 0 to 40 products, prepared on neither side, on the first, on the second and on both.
void check_dot(const Ring& ring, const Integer& n) {
  std::vector<OperandPair> terms;
  Integer sum;
  for (int i = 0; i < 40; ++i) {
    CHECK((i % 13 != 0 || ring.dot(terms) == sum % n));
    const Integer x = n - 1 - i % 3;
    const Integer y = n - 1 - i;
    terms.emplace_back(i % 2 == 0 ? Operand(x) : ring.prepare(x),
                       i % 4 < 2 ? Operand(y) : ring.prepare(y));
    sum += x * y;
  }
  CHECK(ring.dot(terms) == sum % n);
}

void check_reduction(const Ring& ring, const Integer& n) {
  const Integer limit = n << bit_length(n);
  for (const Integer& x :
       {Integer(limit - 1), Integer(16 * limit + 5), Integer(40 * limit - 1), Integer(1000 * n * n),
        Integer((limit << 64) - 1), Integer(limit << 65), limit, Integer(limit + 1), Integer(n * n),
        Integer(n * n - 1), Integer(limit * n), n, Integer(n - 1), Integer(3 * n),
        Integer(-limit)}) {
    Integer expected;
    mpz_mod(expected.get_mpz_t(), x.get_mpz_t(), n.get_mpz_t());
    CHECK(ring.reduce(x) == expected);
  }
}

// With M = 2^(64 limbs) - 1, modulo which the last step of a reduction computes, and g = gcd(N, M):
// multiples of N that are multiples of M too, where the quotient times N is 0 modulo M and the
// folded argument all ones.
void check_common_multiples(const Ring& ring, const Integer& n, std::size_t limbs) {
  const Integer multiple = lcm(n, Integer(power_of_two(64 * limbs) - 1));
  const Integer times = (n << bit_length(n)) / multiple;
  for (const Integer& x : {multiple, Integer(times / 2 * multiple), Integer(times * multiple)}) {
    CHECK(ring.reduce(x) == 0);
    CHECK(ring.reduce(x + 1) == 1);
    CHECK(ring.reduce(x - 1) == n - 1);
  }
}

// 80 limbs is where the fastest field starts, this number of bits where the slowest one does.
constexpr std::size_t kSlowestBits = 8192 * 64 + 3;

void check_ring(const Backend& backend, const Integer& n) {
  CAPTURE(backend.info().name, backend.info().description, bit_length(n));
  const auto ring = backend.ring(n);
  check_sums(*ring, n);
  check_products(*ring, n);
  check_dot(*ring, n);
  check_reduction(*ring, n);
}

}  // namespace

TEST_CASE("modular arithmetic on the engine is exact at its edges", "[engine]") {
  for (const BackendPtr& backend : engines()) {
    for (const std::size_t bits :
         std::vector<std::size_t>{80 * 64, 80 * 64 + 1, 96 * 64 - 1, 1000 * 64, 1024 * 64}) {
      for (const Integer& n : moduli(bits)) check_ring(*backend, n);
    }
    check_ring(*backend, moduli(kSlowestBits).front());
  }
}

TEST_CASE("a multiple of the modulus that folds to all ones is reduced to zero", "[engine]") {
  for (const BackendPtr& backend : engines()) {
    for (const std::size_t limbs : {80U, 96U, 128U, 1024U}) {
      for (const unsigned long factor : {255UL, 65535UL}) {
        // Two bits less than the transform has, odd, and with this factor in common with M.
        const Integer n = power_of_two(64 * limbs - 2) / (3 * factor) * 2 * factor + factor;
        CAPTURE(backend->info().name, backend->info().description, limbs, factor);
        check_common_multiples(*backend->ring(n), n, limbs);
      }
    }
  }
}

TEST_CASE("modular arithmetic is exact where the slowest field starts", "[engine][long]") {
  for (const BackendPtr& backend : engines()) {
    for (const Integer& n : moduli(kSlowestBits)) check_ring(*backend, n);
  }
}

}  // namespace fhe::test
