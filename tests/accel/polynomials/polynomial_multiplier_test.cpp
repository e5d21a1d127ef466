// SPDX-License-Identifier: Apache-2.0
// The simulated polynomial multiplier against software, and its clocks. The model for 512
// coefficients takes all smaller sizes too; a model for 8 has one level in each subtree, and one
// for 2048, the largest, nine.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "PolynomialMultiplier128.h"
#include "PolynomialMultiplier192.h"
#include "PolynomialMultiplier64.h"
#include "PolynomialMultiplierOf2048.h"
#include "PolynomialMultiplierOf8.h"
#include "accel/polynomials/hardware_clocks.hpp"
#include "libfhe/arith/registry.hpp"
#include "tests/accel/polynomials/schoolbook.hpp"
#include "tests/accel/polynomials/simulated_multiplier.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace {

using fhe::Integer;
using fhe::kronecker_multiplier;
using fhe::open_backend;
using fhe::Polynomial;
using fhe::karatsuba::clocks_between_products;
using fhe::karatsuba::clocks_of_one_product;
using fhe::test::Operands;
using fhe::test::ProductStream;
using fhe::test::schoolbook;
using fhe::test::some_modulus;
using fhe::test::some_polynomial;
using Batch = std::vector<fhe::PolynomialMultiplier::Operands>;

template <class Model, std::size_t kBits, std::size_t kMaxCoefficients>
struct Hardware {
  using Stream = ProductStream<Model, kBits>;
  static constexpr std::size_t kCoefficientBits = kBits;
  static constexpr std::size_t kSize = kMaxCoefficients;
};
using Hardware64 = Hardware<PolynomialMultiplier64, 64, 512>;
using Hardware128 = Hardware<PolynomialMultiplier128, 128, 512>;
using Hardware192 = Hardware<PolynomialMultiplier192, 192, 512>;
using HardwareOf8 = Hardware<PolynomialMultiplierOf8, 64, 8>;
using HardwareOf2048 = Hardware<PolynomialMultiplierOf2048, 64, 2048>;

Batch some_batch(Operands& operands, std::size_t count, std::size_t size, const Integer& modulus) {
  Batch batch(count);
  for (auto& [a, b] : batch) {
    a = some_polynomial(operands, size, modulus);
    b = some_polynomial(operands, size, modulus);
  }
  return batch;
}

// Products of a size through one stream, in batches each of which has a modulus of its own.
template <class Hardware>
void check_stream(typename Hardware::Stream& stream, Operands& operands, std::size_t size,
                  std::size_t batches, Operands* stalls) {
  constexpr std::size_t kBatch = 20;
  std::vector<Polynomial> expected;
  for (std::size_t i = 0; i < batches; ++i) {
    const Integer modulus = some_modulus(operands, Hardware::kCoefficientBits);
    const Batch batch = some_batch(operands, kBatch, size, modulus);
    stream.set(modulus, size);
    for (const auto& each : batch) stream.push(each);
    const auto products = kronecker_multiplier(modulus, open_backend())->multiply_all(batch);
    expected.insert(expected.end(), products.begin(), products.end());
  }
  const std::vector<Polynomial> products = stream.run(stalls);
  REQUIRE(products.size() == expected.size());
  for (std::size_t i = 0; i < products.size(); ++i) {
    CAPTURE(Hardware::kCoefficientBits, size, i);
    REQUIRE(products[i] == expected[i]);
  }
}

// 20 `batches` products of a size on one device, some of them waiting at a time.
template <class Hardware>
void check_products(std::size_t size, std::size_t batches, Operands* stalls = nullptr) {
  constexpr std::size_t kAtOnce = 10;
  Operands operands(size + batches);
  typename Hardware::Stream stream;
  for (std::size_t done = 0; done < batches; done += kAtOnce) {
    check_stream<Hardware>(stream, operands, size, std::min(kAtOnce, batches - done), stalls);
  }
}

// Of `count` products of a size in one stream.
template <class Hardware>
void check_clocks_between_products(std::size_t size, std::size_t count) {
  CAPTURE(size);
  Operands operands(size);
  const Integer modulus = operands.exactly(Hardware::kCoefficientBits);
  typename Hardware::Stream stream;
  stream.set(modulus, size);
  for (const auto& each : some_batch(operands, count, size, modulus)) stream.push(each);
  stream.run();
  const auto& passages = stream.passages();
  for (std::size_t i = 1; i < count; ++i) {
    CHECK(passages[i].last_out - passages[i - 1].last_out == clocks_between_products(size));
  }
}

template <class Hardware>
void check_clocks_of_one_product(std::size_t size) {
  CAPTURE(size);
  Operands operands(size);
  const Integer modulus = operands.exactly(Hardware::kCoefficientBits);
  typename Hardware::Stream stream;
  stream.set(modulus, size);
  stream.push(some_batch(operands, 1, size, modulus).front());
  stream.run();
  const auto& passage = stream.passages().front();
  CHECK(passage.last_out - passage.first_in ==
        clocks_of_one_product(size, Hardware::kSize, Hardware::kCoefficientBits));
}

}  // namespace

TEMPLATE_TEST_CASE("products of polynomials on the hardware equal software", "[karatsuba][rtl]",
                   Hardware64, Hardware128, Hardware192) {
  for (const std::size_t size : {8U, 16U, 32U, 64U, 128U}) check_products<TestType>(size, 1);
}

TEMPLATE_TEST_CASE("ten thousand products of polynomials on the hardware equal software",
                   "[karatsuba][rtl][long]", Hardware64, Hardware128, Hardware192) {
  for (const std::size_t size : {32U, 64U, 128U}) check_products<TestType>(size, 500);
}

TEMPLATE_TEST_CASE("long products of polynomials on the hardware equal software",
                   "[karatsuba][rtl][long]", Hardware64, Hardware128, Hardware192) {
  check_products<TestType>(256, 5);
  check_products<TestType>(512, 5);
}

TEST_CASE("products are right whenever a side stalls", "[karatsuba][rtl]") {
  Operands stalls(7);
  for (const std::size_t size : {8U, 32U, 64U}) check_products<Hardware64>(size, 2, &stalls);
}

TEST_CASE("sizes and moduli change between two products", "[karatsuba][rtl]") {
  Operands operands(11);
  Hardware64::Stream stream;
  std::vector<Polynomial> expected;
  for (int i = 0; i < 60; ++i) {
    const std::size_t size = std::size_t{8} << operands.between(0, 4);
    const Integer modulus = some_modulus(operands, 64);
    const Batch batch = some_batch(operands, operands.between(1, 3), size, modulus);
    stream.set(modulus, size);
    for (const auto& [a, b] : batch) {
      stream.push({a, b});
      expected.push_back(schoolbook(a, b, modulus));
    }
  }
  CHECK(stream.run() == expected);
}

TEST_CASE("a reset in the midst of products leaves nothing behind", "[karatsuba][rtl]") {
  Operands operands(13);
  for (const int clocks : {1, 20, 45, 60, 100}) {
    Hardware64::Stream stream;
    const Integer first = operands.exactly(64);
    stream.set(first, 64);
    for (const auto& each : some_batch(operands, 5, 64, first)) stream.push(each);
    stream.abandon(clocks);
    const Integer second = operands.exactly(50);
    const Batch batch = some_batch(operands, 3, 32, second);
    stream.set(second, 32);
    for (const auto& each : batch) stream.push(each);
    CHECK(stream.run() == kronecker_multiplier(second, open_backend())->multiply_all(batch));
  }
}

TEMPLATE_TEST_CASE("a product leaves every 3^(log2 n - 2) clocks", "[karatsuba][rtl]", Hardware64,
                   Hardware128, Hardware192) {
  for (const std::size_t size : {8U, 16U, 32U, 64U, 128U, 256U, 512U})
    check_clocks_between_products<TestType>(size, 8);
}

TEMPLATE_TEST_CASE("a product alone takes the clocks of its leaves and of the way down and up",
                   "[karatsuba][rtl]", Hardware64, Hardware128, Hardware192, HardwareOf8) {
  for (std::size_t size = 8; size <= TestType::kSize; size *= 2)
    check_clocks_of_one_product<TestType>(size);
}

TEST_CASE("the largest products of polynomials on the hardware, and their clocks",
          "[karatsuba][rtl][long]") {
  for (const std::size_t size : {1024U, 2048U}) {
    check_products<HardwareOf2048>(size, 1);
    check_clocks_between_products<HardwareOf2048>(size, 3);
  }
  for (std::size_t size = 8; size <= HardwareOf2048::kSize; size *= 2)
    check_clocks_of_one_product<HardwareOf2048>(size);
}

TEST_CASE("all products modulo 2 of eight coefficients", "[karatsuba][rtl]") {
  constexpr unsigned kAll = 256;
  const auto polynomial = [](unsigned bits) {
    Polynomial x;
    for (unsigned i = 0; i < 8; ++i) x.emplace_back(bits >> i & 1);
    return x;
  };
  HardwareOf8::Stream stream;
  stream.set(2, 8);
  for (unsigned a = 0; a < kAll; ++a) {
    for (unsigned b = 0; b < kAll; ++b) stream.push({polynomial(a), polynomial(b)});
  }
  const std::vector<Polynomial> products = stream.run();
  std::size_t wrong = 0;
  for (unsigned a = 0; a < kAll; ++a) {
    for (unsigned b = 0; b < kAll; ++b) {
      unsigned product = 0;  // without carries
      for (unsigned i = 0; i < 8; ++i) product ^= (b >> i & 1) * (a << i);
      for (unsigned i = 0; i < 15; ++i) wrong += products[a * kAll + b][i] != (product >> i & 1);
    }
  }
  CHECK(wrong == 0);
}
