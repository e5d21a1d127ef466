// SPDX-License-Identifier: Apache-2.0
// Operations on words by name: the right circuits, on all operands of a few bits.
#include "libfhe/circuit/word_operations.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "libfhe/circuit/bits.hpp"
#include "libfhe/circuit/run.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_fixtures.hpp"

namespace fhe::test {

namespace {

// What an operation gives for x and y as C++ has it, before it is cut to the result's width.
using Meaning = std::function<std::int64_t(std::int64_t, std::int64_t)>;

std::int64_t quotient(std::int64_t x, std::int64_t y) {
  return y == 0 ? -1 : x / y;
}
std::int64_t remainder(std::int64_t x, std::int64_t y) {
  return y == 0 ? x : x % y;
}

// On numbers with and without a sign.
const std::map<std::string, Meaning>& meanings_of_numbers() {
  static const std::map<std::string, Meaning> meanings{
      {"add", [](auto x, auto y) { return x + y; }},
      {"sub", [](auto x, auto y) { return x - y; }},
      {"mul", [](auto x, auto y) { return x * y; }},
      {"div", quotient},
      {"rem", remainder},
      {"neg", [](auto x, auto) { return -x; }},
      {"min", [](auto x, auto y) { return std::min(x, y); }},
      {"max", [](auto x, auto y) { return std::max(x, y); }},
      {"equal", [](auto x, auto y) { return std::int64_t{x == y}; }},
      {"not-equal", [](auto x, auto y) { return std::int64_t{x != y}; }},
      {"less", [](auto x, auto y) { return std::int64_t{x < y}; }},
      {"less-equal", [](auto x, auto y) { return std::int64_t{x <= y}; }},
      {"greater", [](auto x, auto y) { return std::int64_t{x > y}; }},
      {"greater-equal", [](auto x, auto y) { return std::int64_t{x >= y}; }}};
  return meanings;
}

std::int64_t value_of(std::uint64_t bits, std::size_t width, Sign sign) {
  const bool negative = sign == Sign::last && (bits >> (width - 1) & 1) != 0;
  return static_cast<std::int64_t>(bits) - (negative ? std::int64_t{1} << width : 0);
}

std::vector<bool> joined(std::vector<bool> x, const std::vector<bool>& y) {
  x.insert(x.end(), y.begin(), y.end());
  return x;
}

std::vector<bool> run(const Netlist& circuit, std::vector<bool> inputs) {
  const PlainBits plain;
  return evaluate(circuit, plain, std::move(inputs));
}

void check_on_all_numbers(const NamedWordOperation& operation, const Meaning& meaning,
                          std::size_t width, Sign sign) {
  const std::vector<WordOperand> operands(operation.roles.size(), WordOperand{width});
  const Netlist circuit = word_circuit(operation, operands, {sign});
  const bool two = operands.size() == 2;
  for (std::uint64_t x = 0; x >> width == 0; ++x) {
    for (std::uint64_t y = 0; y >> (two ? width : 0) == 0; ++y) {
      const std::vector<bool> bits =
          run(circuit, two ? joined(bits_of(x, width), bits_of(y, width)) : bits_of(x, width));
      const std::int64_t expected = meaning(value_of(x, width, sign), value_of(y, width, sign));
      if (bits == bits_of(static_cast<std::uint64_t>(expected), bits.size())) continue;
      FAIL(operation.name << " of " << x << " and " << y << ", " << width << " bits");
    }
  }
}

}  // namespace

TEST_CASE("operations on words have their names and are right on all numbers of 1 to 4 bits",
          "[circuit][word]") {
  for (const auto& [name, meaning] : meanings_of_numbers()) {
    const NamedWordOperation& operation = word_operation_named(name);
    CHECK(operation.name == name);
    for (const Sign sign : {Sign::none, Sign::last}) {
      for (std::size_t width = 1; width <= 4; ++width) {
        check_on_all_numbers(operation, meaning, width, sign);
      }
    }
  }
  CHECK(named_word_operations().size() == meanings_of_numbers().size() + 5);
  CHECK(&word_operation_named("LESS-Equal") == &word_operation_named("less-equal"));
}

TEST_CASE("sizes, shifts, counts and choices of words are right", "[circuit][word]") {
  constexpr std::size_t kWidth = 4;
  const auto circuit = [](const std::string& name, const std::vector<WordOperand>& operands,
                          const WordReading& reading = {}) {
    return word_circuit(word_operation_named(name), operands, reading);
  };
  const Netlist abs = circuit("abs", {{kWidth}});
  const Netlist count = circuit("popcount", {{kWidth}});
  const Netlist left = circuit("shl", {{kWidth}, {3}});
  const Netlist right = circuit("shr", {{kWidth}, {3}});
  const Netlist right_signed = circuit("shr", {{kWidth}, {3}}, {Sign::last});
  const Netlist mux = circuit("mux", {{1}, {kWidth}, {kWidth}});
  for (std::uint64_t x = 0; x < 16; ++x) {
    const std::int64_t value = value_of(x, kWidth, Sign::last);
    CHECK(number_of(run(abs, bits_of(x, kWidth))) == static_cast<std::uint64_t>(std::abs(value)));
    CHECK(run(count, bits_of(x, kWidth)) ==
          bits_of(static_cast<std::uint64_t>(std::popcount(x)), 3));
    for (std::uint64_t n = 0; n < 8; ++n) {
      const std::vector<bool> both = joined(bits_of(x, kWidth), bits_of(n, 3));
      CHECK(run(left, both) == bits_of(x << n, kWidth));
      CHECK(run(right, both) == bits_of(x >> n, kWidth));
      CHECK(run(right_signed, both) == bits_of(static_cast<std::uint64_t>(value >> n), kWidth));
    }
    for (const bool choice : {false, true}) {
      const std::vector<bool> words = joined(bits_of(x, kWidth), bits_of(15 - x, kWidth));
      CHECK(number_of(run(mux, joined({choice}, words))) == (choice ? x : 15 - x));
    }
  }
}

TEST_CASE("operands may be public, and are brought to a width", "[circuit][word]") {
  const auto number = [](const Netlist& circuit, std::uint64_t x, std::size_t width) {
    return number_of(run(circuit, bits_of(x, width)));
  };
  const NamedWordOperation& add = word_operation_named("add");
  const WordOperand minus_one{4, bits_of(15, 4)};
  CHECK(number(word_circuit(add, {{4}, minus_one}), 9, 4) == 8);
  CHECK(number(word_circuit(add, {{4}, minus_one}, {Sign::none, 8}), 9, 4) == 24);
  CHECK(number(word_circuit(add, {{4}, minus_one}, {Sign::last, 8}), 9, 4) == 248);  // -7 - 1
  CHECK(number(word_circuit(add, {{8}, {2, bits_of(3, 2)}}, {Sign::none, 4}), 0xfe, 8) == 1);
  const Netlist shifted = word_circuit(word_operation_named("shl"), {{4}, {64, bits_of(2, 64)}});
  CHECK(number(shifted, 7, 4) == 12);
  CHECK(costs(shifted).products == 0);
}

TEST_CASE("a circuit by name runs on ciphertexts", "[circuit][word]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Evaluator evaluator(keys.public_key);
  const Encryptor encryptor = test_encryptor(keys, "word operations");
  const CircuitResult result =
      run_circuit(word_circuit(word_operation_named("max"), {{4}, {4}}, {Sign::last}), evaluator,
                  encryptor.encrypt(joined(bits_of(13, 4), bits_of(3, 4))));
  CHECK(number_of(Decryptor(keys.secret_key).decrypt(result.outputs)) == 3);
}

TEST_CASE("names and operands that no operation has are refused", "[circuit][word]") {
  const auto refused = [](const std::string& part) {
    return HasCode(ErrorCode::invalid_argument, part);
  };
  CHECK_THROWS_MATCHES(word_operation_named("plus"), Error,
                       HasCode(ErrorCode::unknown_name, "popcount"));
  CHECK_THROWS_MATCHES(word_operation_named(""), Error, HasCode(ErrorCode::unknown_name));
  const NamedWordOperation& add = word_operation_named("add");
  CHECK_THROWS_MATCHES(word_circuit(add, {{4}}), Error, refused("2 operands"));
  CHECK_THROWS_MATCHES(word_circuit(add, {{4}, {5}}), Error, refused("4 and 5"));
  CHECK_THROWS_MATCHES(word_circuit(add, {{4}, {0}}), Error, refused("at least one"));
  CHECK_THROWS_MATCHES(word_circuit(add, {{4}, {4, bits_of(1, 3)}}), Error, refused("constant"));
  for (const std::size_t width : {std::size_t{0}, ~std::size_t{0}}) {
    CHECK_THROWS_MATCHES(word_circuit(add, {{4}, {4}}, {Sign::none, width}), Error,
                         refused("width"));
  }
  CHECK_THROWS_MATCHES(word_circuit(word_operation_named("mux"), {{2}, {4}, {4}}), Error,
                       refused("takes one"));
}

}  // namespace fhe::test
