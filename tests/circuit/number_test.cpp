// SPDX-License-Identifier: Apache-2.0
// Numbers of traced functions: every operator against C++'s own, on all operands of small widths.
#include "libfhe/circuit/number.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libfhe/circuit/compute.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

namespace {

// The plain number in the range of the type.
template <class Type>
PlainOf<Type> wrapped(std::int64_t value) {
  std::vector<bool> bits = bits_of(static_cast<std::uint64_t>(value), BitLayout<Type>::kBits);
  return BitLayout<Type>::plain_of(bits, 0, bits.size());
}

// Traces `function` once; compares it with `expected`, modulo the width, on all pairs of operands.
template <class Type, class Function, class Expected>
void check_all(const std::string& name, const Function& function, const Expected& expected) {
  constexpr std::size_t kBits = BitLayout<Type>::kBits;
  const Netlist circuit = traced<Type, Type>(function);
  const PlainBits plain;
  for (std::uint64_t pair = 0; pair < std::uint64_t{1} << (2 * kBits); ++pair) {
    const std::vector<bool> bits = bits_of(pair, 2 * kBits);
    const auto x = static_cast<std::int64_t>(BitLayout<Type>::plain_of(bits, 0, kBits));
    const auto y = static_cast<std::int64_t>(BitLayout<Type>::plain_of(bits, kBits, kBits));
    const std::vector<bool> outputs = evaluate(circuit, plain, bits);
    const bool is_right =
        outputs == bits_of(static_cast<std::uint64_t>(expected(x, y)), outputs.size());
    if (is_right) continue;
    CAPTURE(name, x, y);
    CHECK(is_right);
  }
}

template <class Type>
void check_operators() {
  constexpr std::size_t kBits = BitLayout<Type>::kBits;
  using N = std::int64_t;
  check_all<Type>(
      "+", [](Type x, Type y) { return x + y; }, [](N x, N y) { return x + y; });
  check_all<Type>(
      "-", [](Type x, Type y) { return x - y; }, [](N x, N y) { return x - y; });
  check_all<Type>(
      "*", [](Type x, Type y) { return x * y; }, [](N x, N y) { return x * y; });
  check_all<Type>(
      "/", [](Type x, Type y) { return x / y; }, [](N x, N y) { return y == 0 ? -1 : x / y; });
  check_all<Type>(
      "%", [](Type x, Type y) { return x % y; }, [](N x, N y) { return y == 0 ? x : x % y; });
  check_all<Type>(
      "&", [](Type x, Type y) { return x & y; }, [](N x, N y) { return x & y; });
  check_all<Type>(
      "|", [](Type x, Type y) { return x | y; }, [](N x, N y) { return x | y; });
  check_all<Type>(
      "^", [](Type x, Type y) { return x ^ y; }, [](N x, N y) { return x ^ y; });
  check_all<Type>(
      "<", [](Type x, Type y) { return x < y; }, [](N x, N y) { return N{x < y}; });
  check_all<Type>(
      ">", [](Type x, Type y) { return x > y; }, [](N x, N y) { return N{x > y}; });
  check_all<Type>(
      "<=", [](Type x, Type y) { return x <= y; }, [](N x, N y) { return N{x <= y}; });
  check_all<Type>(
      ">=", [](Type x, Type y) { return x >= y; }, [](N x, N y) { return N{x >= y}; });
  check_all<Type>(
      "==", [](Type x, Type y) { return x == y; }, [](N x, N y) { return N{x == y}; });
  check_all<Type>(
      "!=", [](Type x, Type y) { return x != y; }, [](N x, N y) { return N{x != y}; });
  check_all<Type>(
      "min", [](Type x, Type y) { return min(x, y); }, [](N x, N y) { return std::min(x, y); });
  check_all<Type>(
      "max", [](Type x, Type y) { return max(x, y); }, [](N x, N y) { return std::max(x, y); });
  check_all<Type>(
      "minus", [](Type x, Type) { return -x; }, [](N x, N) { return -x; });
  check_all<Type>(
      "~", [](Type x, Type) { return ~x; }, [](N x, N) { return ~x; });
  check_all<Type>(
      "<< by 2", [](Type x, Type) { return x << 2; }, [](N x, N) { return x * 4; });
  check_all<Type>(
      ">> by 2", [](Type x, Type) { return x >> 2; }, [](N x, N) { return x >> 2; });
  check_all<Type>(
      "<< by y", [](Type x, Type y) { return x << Uint<kBits>(y); },
      [](N x, N y) { return x * (N{1} << (y & ((1 << kBits) - 1))); });
  check_all<Type>(
      ">> by y", [](Type x, Type y) { return x >> Uint<kBits>(y); },
      [](N x, N y) { return x >> (y & ((1 << kBits) - 1)); });
  check_all<Type>(
      "public ones",
      [](Type x, Type y) {
        Type sum = 3;
        sum += x;
        sum -= 1;
        sum *= y;
        return 2 + (sum ^ 5);
      },
      [](N x, N y) { return 2 + ((x + 2) * y ^ 5); });
  check_all<Type>(
      "bits", [](Type x, Type y) { return (x[0] & !y[kBits - 1]) | (x[1] ^ y[0]); },
      [](N x, N y) {
        const auto bit = [](N number, std::size_t i) { return (number >> i & 1) != 0; };
        return N{(bit(x, 0) && !bit(y, kBits - 1)) || bit(x, 1) != bit(y, 0)};
      });
  check_all<Type>(
      "select", [](Type x, Type y) { return select(x == 1, y, Type(2)); },
      [](N x, N y) { return x == 1 ? y : 2; });
  check_all<Type>(
      "wider", [](Type x, Type y) { return Int<12>(x) * Int<12>(y); },
      [](N x, N y) { return x * y; });
  check_all<Type>(
      "without a sign", [](Type x, Type) { return Uint<9>(x); }, [](N x, N) { return x; });
}

}  // namespace

TEST_CASE("numbers compute as those of C++ do", "[circuit][compute]") {
  check_operators<Uint<3>>();
  check_operators<Int<3>>();
  check_operators<Uint<4>>();
  check_operators<Int<4>>();
}

TEST_CASE("sizes and counts of bits are those of the number", "[circuit][compute]") {
  using N = std::int64_t;
  check_all<Int<4>>(
      "abs", [](Int<4> x, Int<4>) { return abs(x); }, [](N x, N) { return x < 0 ? -x : x; });
  check_all<Uint<4>>(
      "popcount", [](Uint<4> x, Uint<4>) { return popcount(x); },
      [](N x, N) { return N{__builtin_popcountll(static_cast<unsigned long long>(x))}; });
  check_all<Uint<3>>(
      "look_up",
      [](Uint<3> x, Uint<3>) {
        return look_up<7>({0, 1, 4, 9, 16, 25, 36, 49}, x);
      },
      [](N x, N) { return x * x; });
}

TEST_CASE("wide numbers agree with those of the machine", "[circuit][compute]") {
  Operands random(17);
  const auto mixed = [](Int<40> x, Int<40> y) { return x / (y + 7) + (x >> 3) * y; };
  for (int i = 0; i < 20; ++i) {
    const auto x = wrapped<Int<40>>(static_cast<std::int64_t>(random.bits(40).get_ui()));
    const auto y = wrapped<Int<40>>(static_cast<std::int64_t>(random.bits(20).get_ui()));
    const std::int64_t expected = wrapped<Int<40>>(x / (y + 7) + (x >> 3) * y);
    CHECK(compute_in_the_clear<Int<40>, Int<40>>(mixed, x, y) == expected);
  }
  const auto square = [](Uint<100> x) { return x * x; };
  CHECK(compute_in_the_clear<Uint<100>>(square, std::bitset<100>(1) << 49) == std::bitset<100>(1)
                                                                                  << 98);
}

TEST_CASE("elements at secret places are found and replaced", "[circuit][compute]") {
  using Five = std::array<Uint<4>, 5>;
  const auto get = [](Five elements, Uint<3> place) { return element(elements, place); };
  const auto set = [](Five elements, Uint<3> place) {
    set_element(elements, place, 9);
    return elements;
  };
  const PlainOf<Five> elements{3, 1, 4, 15, 5};
  for (std::size_t place = 0; place < 8; ++place) {
    CAPTURE(place);
    CHECK(compute_in_the_clear<Five, Uint<3>>(get, elements, place) ==
          (place < 5 ? elements[place] : 0));
    PlainOf<Five> expected = elements;
    if (place < 5) expected[place] = 9;
    CHECK(compute_in_the_clear<Five, Uint<3>>(set, elements, place) == expected);
  }
  const auto chosen = [](std::vector<Bool> bits, Uint<2> place) { return element(bits, place); };
  CHECK(compute_in_the_clear<std::vector<Bool>, Uint<2>>(chosen, {false, false, true}, 2));
}

TEST_CASE("public numbers cost nothing", "[circuit][compute]") {
  const Netlist circuit = traced<Uint<8>>([](Uint<8> x) {
    return ((x + 0) * 4) ^ (Uint<8>(6) / 4) ^ select(Uint<8>(3) < 5, x & 15, Uint<8>(0));
  });
  CHECK(costs(circuit).products == 0);
}

TEST_CASE("a number has no place outside of its trace", "[circuit][compute]") {
  const HasCode no_trace(ErrorCode::invalid_argument, "lives in a function that is traced");
  CHECK_THROWS_MATCHES(Uint<8>(3), Error, no_trace);
  CHECK_THROWS_MATCHES(Bool(true), Error, no_trace);
  std::optional<Uint<8>> kept;
  const auto keep = [&](Uint<8> x) {
    kept = x;
    return x + 1;
  };
  static_cast<void>(traced<Uint<8>>(keep));
  CHECK_THROWS_MATCHES(*kept + *kept, Error, no_trace);
  const HasCode other_trace(ErrorCode::invalid_argument, "while another function was traced");
  CHECK_THROWS_MATCHES(traced<Uint<8>>([&](Uint<8> x) { return x + *kept; }), Error, other_trace);
  CHECK_THROWS_MATCHES(traced<Uint<8>>([&](Uint<8>) { return *kept; }), Error, other_trace);
  CHECK_THROWS_MATCHES(traced<Uint<8>>([](Uint<8> x) { return x[8]; }), Error,
                       HasCode(ErrorCode::invalid_argument, "bit 8 of a word of 8 bits"));
}

TEST_CASE("an error of the function ends its trace", "[circuit][compute]") {
  struct Own {};
  const auto fail = [](Uint<8> x) -> Uint<8> {
    if (BitLayout<Uint<8>>::kBits == 8) throw Own();
    return x;
  };
  CHECK_THROWS_AS(traced<Uint<8>>(fail), Own);
  CHECK_THROWS_AS(Trace::current(), Error);
}

}  // namespace fhe::test
