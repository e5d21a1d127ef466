// SPDX-License-Identifier: Apache-2.0
#include "accel/gpu/backend/modulus.hpp"

#include <cstddef>
#include <vector>

#include "tests/catch.hpp"
#include "tests/support/operands.hpp"
#include "tests/support/oracle.hpp"

namespace fhe::gpu {

namespace {

namespace oracle = test::oracle;
using test::Operands;

// Sums of `terms` products of elements at and below N - 1, against plain integers.
void check_sums(const Arithmetic& arithmetic, const Integer& n, std::size_t terms,
                Operands& operands) {
  const Modulus modulus(arithmetic, n);
  std::vector<Integer> values{n - 1, 0, n / 2};
  for (int i = 0; i < 3; ++i) values.push_back(operands.below(n));
  std::vector<ElementPtr> elements;
  for (const Integer& value : values) elements.push_back(modulus.put(value));
  const std::vector<ElementPtr> prepared = modulus.with_spectra(elements);
  std::vector<Products> sums(values.size());
  std::vector<Integer> expected(values.size());
  for (std::size_t s = 0; s < sums.size(); ++s) {
    for (std::size_t k = 0; k < terms; ++k) {
      const std::size_t other = s == 0 ? 0 : (s + k) % values.size();  // the first one at the limit
      sums[s].emplace_back(k % 2 == 0 ? elements[s] : prepared[s], prepared[other]);
      expected[s] += values[s] * values[other];
    }
  }
  const std::vector<ElementPtr> results = modulus.sums_of_products(sums);
  for (std::size_t s = 0; s < sums.size(); ++s) {
    CAPTURE(bit_length(n), terms, s);
    CHECK(modulus.get(*results[s]) == oracle::mod(expected[s], n));
  }
}

}  // namespace

TEST_CASE("sums of products are reduced for moduli of every kind") {
  const Arithmetic arithmetic(host_device());
  Operands operands(3);
  for (const std::size_t bits : {2U, 63U, 64U, 65U, 127U, 128U, 129U, 1000U, 2048U, 20'000U}) {
    for (const Integer& n : {Integer(power_of_two(bits) - 1), Integer(power_of_two(bits - 1)),
                             Integer(power_of_two(bits - 1) + 1), operands.exactly(bits)}) {
      if (n < 2) continue;
      for (const std::size_t terms : {1U, 2U, 9U}) check_sums(arithmetic, n, terms, operands);
    }
  }
}

TEST_CASE("sums of more products than a spectrum holds are added up as numbers") {
  const Arithmetic arithmetic(host_device());
  Operands operands(4);
  check_sums(arithmetic, power_of_two(200) - 1, 3000, operands);
  // 2^15 digits of 24 bits: a few products fill the field.
  check_sums(arithmetic, power_of_two(380'000) - 1, 20, operands);
}

TEST_CASE("sums of elements are reduced", "[gpu]") {
  const Arithmetic arithmetic(host_device());
  Operands operands(5);
  for (const std::size_t bits : {2U, 64U, 65U, 5000U}) {
    const Integer n = operands.exactly(bits);
    const Modulus modulus(arithmetic, n);
    std::vector<Integer> values{Integer(n - 1), Integer(0), Integer(1), operands.below(n)};
    std::vector<std::pair<ElementPtr, ElementPtr>> pairs;
    std::vector<Integer> expected;
    for (const Integer& a : values) {
      for (const Integer& b : values) {
        pairs.emplace_back(modulus.put(a), modulus.put(b));
        expected.push_back(oracle::mod(a + b, n));
      }
    }
    const std::vector<ElementPtr> sums = modulus.sums(pairs);
    for (std::size_t i = 0; i < sums.size(); ++i) CHECK(modulus.get(*sums[i]) == expected[i]);
  }
}

TEST_CASE("a modulus of CNT-Large is reduced by", "[long]") {
  const Arithmetic arithmetic(host_device());
  Operands operands(6);
  check_sums(arithmetic, operands.exactly(19'350'000), 2, operands);
}

}  // namespace fhe::gpu
