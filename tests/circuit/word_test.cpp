// SPDX-License-Identifier: Apache-2.0
// Words: every operation against C++'s own, exhaustively where small, on plain bits and as
// circuits.
#include "libfhe/circuit/word.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <string>

#include "libfhe/gate/evaluator.hpp"
#include "tests/catch.hpp"
#include "tests/support/circuits.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

namespace {

using Number = std::uint64_t;

const PlainBits kPlain;
constexpr Prefer kShallow = Prefer::low_depth;

Number mask(std::size_t width) {
  return width >= 64 ? ~Number{0} : (Number{1} << width) - 1;
}

template <class Algebra>
Word<Algebra> one_bit(const Bit<Algebra>& bit) {
  return Word<Algebra>(bit.algebra(), typename Word<Algebra>::Bits{bit});
}

// An operation on words of any algebra, and the same on numbers of `width` bits.
struct Operation {
  std::string name;
  std::function<Word<const PlainBits>(const Word<const PlainBits>&, const Word<const PlainBits>&)>
      plain;
  std::function<Word<NetlistBuilder>(const Word<NetlistBuilder>&, const Word<NetlistBuilder>&)>
      circuit;
  std::function<Number(Number, Number, std::size_t)> number;
};

template <class Words>
Operation operation(const std::string& name, const Words& words,
                    std::function<Number(Number, Number, std::size_t)> number) {
  return {name, words, words, std::move(number)};
}

Number shifted_left(Number x, Number places, std::size_t width) {
  return places >= width ? 0 : x << places & mask(width);
}

std::int64_t signed_value(Number x, std::size_t width) {
  const Number sign = Number{1} << (width - 1);
  return static_cast<std::int64_t>((x ^ sign) - sign);
}

// Quotient and remainder as C++ has them; those of the smallest number by -1, which C++ has not, by
// their definition.
std::pair<Number, Number> divided_signed(Number x, Number y, std::size_t width) {
  const std::int64_t dividend = signed_value(x, width);
  const std::int64_t divisor = signed_value(y, width);
  if (divisor == -1) return {Number{0} - static_cast<Number>(dividend), 0};
  return {static_cast<Number>(dividend / divisor), static_cast<Number>(dividend % divisor)};
}

const std::vector<Operation>& operations() {
  using N = Number;
  using S = std::size_t;
  static const std::vector<Operation> all{
      operation(
          "+", [](const auto& x, const auto& y) { return x + y; },
          [](N x, N y, S w) { return (x + y) & mask(w); }),
      operation(
          "add, low depth", [](const auto& x, const auto& y) { return add(x, y, kShallow); },
          [](N x, N y, S w) { return (x + y) & mask(w); }),
      operation(
          "-", [](const auto& x, const auto& y) { return x - y; },
          [](N x, N y, S w) { return (x - y) & mask(w); }),
      operation(
          "subtract, low depth",
          [](const auto& x, const auto& y) { return subtract(x, y, kShallow); },
          [](N x, N y, S w) { return (x - y) & mask(w); }),
      operation(
          "negate", [](const auto& x, const auto&) { return -x; },
          [](N x, N, S w) { return (0 - x) & mask(w); }),
      operation(
          "*", [](const auto& x, const auto& y) { return x * y; },
          [](N x, N y, S w) { return (x * y) & mask(w); }),
      operation(
          "multiply, low depth",
          [](const auto& x, const auto& y) { return multiply(x, y, x.width(), kShallow); },
          [](N x, N y, S w) { return (x * y) & mask(w); }),
      operation(
          "whole product",
          [](const auto& x, const auto& y) { return multiply(x, y, 2 * x.width()); },
          [](N x, N y, S w) { return (x * y) & mask(2 * w); }),
      operation(
          "/", [](const auto& x, const auto& y) { return x / y; },
          [](N x, N y, S w) { return y == 0 ? mask(w) : x / y; }),
      operation(
          "%", [](const auto& x, const auto& y) { return x % y; },
          [](N x, N y, S) { return y == 0 ? x : x % y; }),
      operation(
          "signed /", [](const auto& x, const auto& y) { return divide_signed(x, y).quotient; },
          [](N x, N y, S w) {
            return (y == 0 ? mask(w) : divided_signed(x, y, w).first) & mask(w);
          }),
      operation(
          "signed %", [](const auto& x, const auto& y) { return divide_signed(x, y).remainder; },
          [](N x, N y, S w) { return (y == 0 ? x : divided_signed(x, y, w).second) & mask(w); }),
      operation(
          "signed <", [](const auto& x, const auto& y) { return one_bit(less_signed(x, y)); },
          [](N x, N y, S w) { return N{signed_value(x, w) < signed_value(y, w)}; }),
      operation(
          "signed >>", [](const auto& x, const auto& y) { return shift_right_signed(x, y); },
          [](N x, N y, S w) {
            return static_cast<N>(signed_value(x, w) >> std::min<N>(y, 63)) & mask(w);
          }),
      operation(
          "signed width", [](const auto& x, const auto&) { return resized_signed(x, 64); },
          [](N x, N, S w) { return static_cast<N>(signed_value(x, w)); }),
      operation(
          "^", [](const auto& x, const auto& y) { return x ^ y; },
          [](N x, N y, S) { return x ^ y; }),
      operation(
          "&", [](const auto& x, const auto& y) { return x & y; },
          [](N x, N y, S) { return x & y; }),
      operation(
          "|", [](const auto& x, const auto& y) { return x | y; },
          [](N x, N y, S) { return x | y; }),
      operation(
          "~", [](const auto& x, const auto&) { return ~x; },
          [](N x, N, S w) { return ~x & mask(w); }),
      operation(
          "==", [](const auto& x, const auto& y) { return one_bit(x == y); },
          [](N x, N y, S) { return N{x == y}; }),
      operation(
          "!=", [](const auto& x, const auto& y) { return one_bit(x != y); },
          [](N x, N y, S) { return N{x != y}; }),
      operation(
          "<", [](const auto& x, const auto& y) { return one_bit(x < y); },
          [](N x, N y, S) { return N{x < y}; }),
      operation(
          "less, low depth",
          [](const auto& x, const auto& y) { return one_bit(less(x, y, kShallow)); },
          [](N x, N y, S) { return N{x < y}; }),
      operation(
          "<=", [](const auto& x, const auto& y) { return one_bit(x <= y); },
          [](N x, N y, S) { return N{x <= y}; }),
      operation(
          ">", [](const auto& x, const auto& y) { return one_bit(x > y); },
          [](N x, N y, S) { return N{x > y}; }),
      operation(
          ">=", [](const auto& x, const auto& y) { return one_bit(x >= y); },
          [](N x, N y, S) { return N{x >= y}; }),
      operation(
          "min", [](const auto& x, const auto& y) { return min(x, y); },
          [](N x, N y, S) { return std::min(x, y); }),
      operation(
          "max", [](const auto& x, const auto& y) { return max(x, y); },
          [](N x, N y, S) { return std::max(x, y); }),
      operation(
          "mux", [](const auto& x, const auto& y) { return mux(x[0], y, x); },
          [](N x, N y, S) { return (x & 1) != 0 ? y : x; }),
      operation(
          "<< word", [](const auto& x, const auto& y) { return x << y; },
          [](N x, N y, S w) { return shifted_left(x, y, w); }),
      operation(
          ">> word", [](const auto& x, const auto& y) { return x >> y; },
          [](N x, N y, S w) { return y >= w ? 0 : x >> y; }),
      operation(
          "popcount", [](const auto& x, const auto&) { return popcount(x); },
          [](N x, N, S) { return static_cast<N>(std::popcount(x)); }),
      operation(
          "popcount, low depth", [](const auto& x, const auto&) { return popcount(x, kShallow); },
          [](N x, N, S) { return static_cast<N>(std::popcount(x)); }),
      operation(
          "with a public word",
          [](const auto& x, const auto&) {
            const auto five = constant_word(x.algebra(), x.width(), 5);
            return (x * five + five) ^ mux(x < five, x, five);
          },
          [](N x, N, S w) {
            const N five = 5 & mask(w);
            return ((x * five + five) & mask(w)) ^ std::min(x, five);
          })};
  return all;
}

Number on_plain_bits(const Operation& operation, Number x, Number y, std::size_t width) {
  const Word<const PlainBits> left(kPlain, bits_of(x, width));
  const Word<const PlainBits> right(kPlain, bits_of(y, width));
  return number_of(operation.plain(left, right).values());
}

void check_all_operands(std::size_t width) {
  for (const Operation& operation : operations()) {
    const Netlist circuit = two_word_circuit(width, operation.circuit);
    for (Number x = 0; x <= mask(width); ++x) {
      for (Number y = 0; y <= mask(width); ++y) {
        const Number expected = operation.number(x, y, width);
        const bool plain_is_right = on_plain_bits(operation, x, y, width) == expected;
        const Number computed =
            number_of(evaluate_plain(circuit, joined({bits_of(x, width), bits_of(y, width)})));
        if (plain_is_right && computed == expected) continue;
        CAPTURE(operation.name, width, x, y);
        CHECK(plain_is_right);
        CHECK(computed == expected);
      }
    }
  }
}

void check_random_operands(std::size_t width, int rounds) {
  Operands random(width);
  for (const Operation& operation : operations()) {
    if (2 * width > 64 && operation.name == "whole product") continue;
    const Netlist circuit = two_word_circuit(width, operation.circuit);
    for (int i = 0; i < rounds; ++i) {
      const Number x = random.bits(width).get_ui();
      const Number y = i % 4 == 0 ? x : random.bits(i % 4 == 1 ? 3 : width).get_ui();
      CAPTURE(operation.name, width, x, y);
      const Number expected = operation.number(x, y, width);
      CHECK(on_plain_bits(operation, x, y, width) == expected);
      CHECK(number_of(evaluate_plain(circuit, joined({bits_of(x, width), bits_of(y, width)}))) ==
            expected);
    }
  }
}

}  // namespace

TEST_CASE("words of 1 to 4 bits are right for all operands", "[circuit]") {
  for (const std::size_t width : {1U, 2U, 3U, 4U}) check_all_operands(width);
}

TEST_CASE("words of 8 to 64 bits are right for random operands", "[circuit]") {
  for (const std::size_t width : {8U, 13U, 32U, 64U}) check_random_operands(width, 12);
}

TEST_CASE("shifts by public places move bits and cost nothing", "[circuit]") {
  NetlistBuilder builder;
  const auto x = input_word(builder, "x", 8);
  for (std::size_t places = 0; places <= 10; ++places) {
    const Word<const PlainBits> word(kPlain, bits_of(0xb5, 8));
    CHECK(number_of((word << places).values()) == shifted_left(0xb5, places, 8));
    CHECK(number_of((word >> places).values()) == (places < 8 ? 0xb5U >> places : 0U));
    output_word(builder, "left" + std::to_string(places), x << places);
    output_word(builder, "right" + std::to_string(places), x >> places);
  }
  CHECK(costs(builder.build()).products == 0);
  CHECK(costs(builder.build()).depth == 1);  // the constant 0
}

TEST_CASE("a table gives its entries, with the shared products of its index", "[circuit]") {
  Operands random(7);
  for (std::size_t index_bits = 0; index_bits <= 8; ++index_bits) {
    std::vector<std::uint64_t> table(std::size_t{1} << index_bits);
    for (auto& entry : table) entry = random.bits(11).get_ui();
    NetlistBuilder builder;
    output_word(builder, "y",
                look_up(input_word(builder, "x", index_bits + 1).resized(index_bits), table, 11));
    const Netlist circuit = builder.build();
    for (std::size_t i = 0; i < table.size(); ++i) {
      CAPTURE(index_bits, i);
      const Word<const PlainBits> index(kPlain, bits_of(i, index_bits));
      CHECK(number_of(look_up(index, table, 11).values()) == table[i]);
      CHECK(number_of(evaluate_plain(circuit, bits_of(i, index_bits + 1))) == table[i]);
    }
    CHECK(costs(circuit).products <= table.size() - index_bits - 1);
    CHECK(costs(circuit).and_depth <= std::bit_width(index_bits));
  }
  const Word<const PlainBits> index(kPlain, bits_of(0, 2));
  CHECK_THROWS_MATCHES(look_up(index, {1, 2, 3}, 4), Error,
                       HasCode(ErrorCode::invalid_argument, "entries"));
}

TEST_CASE("additions cost the ANDs and the depth that they promise", "[circuit]") {
  const NetlistCosts ripple = costs(adder_circuit(64));
  CHECK(ripple.products == 63);
  CHECK(ripple.and_depth == 63);
  const NetlistCosts prefix = costs(adder_circuit(64, Prefer::low_depth));
  CHECK(prefix.and_depth == 6);
  CHECK(prefix.products < 450);
  const auto smaller = [](Prefer prefer) {
    return two_word_circuit(
        64, [&](const auto& x, const auto& y) { return one_bit(less(x, y, prefer)); });
  };
  CHECK(costs(smaller(Prefer::few_ands)).products == 64);
  CHECK(costs(smaller(Prefer::low_depth)).and_depth <= 8);
  CHECK(costs(smaller(Prefer::low_depth)).products < 192);
}

TEST_CASE("multiplications and counts cost the ANDs and the depth that they promise", "[circuit]") {
  CHECK(costs(multiplier_circuit(32)).products < 1024);
  CHECK(costs(multiplier_circuit(32, Prefer::low_depth)).and_depth <= 16);
  const auto count = [](Prefer prefer) {
    return two_word_circuit(64, [&](const auto& x, const auto&) { return popcount(x, prefer); });
  };
  CHECK(costs(count(Prefer::few_ands)).products == 64 - 1);
  CHECK(costs(count(Prefer::low_depth)).and_depth <= 14);
}

TEST_CASE("public bits are folded away", "[circuit]") {
  NetlistBuilder builder;
  const auto x = input_word(builder, "x", 8);
  const auto zero = constant_word(builder, 8, 0);
  const auto ones = constant_word(builder, 8, 0xff);
  output_word(builder, "and", x & ones);
  output_word(builder, "sum", x + zero);
  output_word(builder, "product", x * constant_word(builder, 8, 4));
  output_word(builder, "chosen", mux((zero < ones), x, zero));
  CHECK(costs(builder.build()).products == 0);
  CHECK((zero == zero).known() == true);
}

TEST_CASE("words of different widths do not mix", "[circuit]") {
  const Word<const PlainBits> three(kPlain, bits_of(1, 3));
  const Word<const PlainBits> four(kPlain, bits_of(1, 4));
  const HasCode mismatch(ErrorCode::invalid_argument, "3 and 4 bits");
  CHECK_THROWS_MATCHES(three + four, Error, mismatch);
  CHECK_THROWS_MATCHES(three * four, Error, mismatch);
  CHECK_THROWS_MATCHES(three ^ four, Error, mismatch);
  CHECK_THROWS_MATCHES(min(three, four), Error, HasCode(ErrorCode::invalid_argument));
  CHECK(number_of((three.resized(4) + four).values()) == 2);
}

TEST_CASE("words of ciphertexts compute what words of bits do", "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Evaluator evaluator(keys.public_key);
  const Encryptor encryptor = test_encryptor(keys, "words");
  const Decryptor decryptor(keys.secret_key);
  const Word<const Evaluator> x(evaluator, encryptor.encrypt(bits_of(11, 4)));
  const Word<const Evaluator> y(evaluator, encryptor.encrypt(bits_of(6, 4)));
  const auto number = [&](const auto& word) { return number_of(decryptor.decrypt(word.values())); };
  CHECK(number(x + y) == 1);
  CHECK(number(x - y) == 5);
  CHECK(number(multiply(x, y, 8)) == 66);
  CHECK(number(min(x, y)) == 6);
  CHECK(number(popcount(x, Prefer::low_depth)) == 3);
  CHECK(number(look_up(y, {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225}, 8)) ==
        36);
  CHECK(decryptor.decrypt((x >= y).value()));
}

}  // namespace fhe::test
