// SPDX-License-Identifier: Apache-2.0
// BLIF: truth tables of any kind are read, wrong files refused at their line.
#include "libfhe/circuit/blif.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "libfhe/circuit/netlist_files.hpp"
#include "tests/catch.hpp"
#include "tests/support/altered_circuits.hpp"
#include "tests/support/circuits.hpp"
#include "tests/support/clocked_circuits.hpp"
#include "tests/support/errors.hpp"

namespace fhe::test {

namespace {

Netlist parse(const std::string& text) {
  return parse_blif(text, "circuit.blif").step();
}

void check_refused(const std::string& text, std::size_t line, const std::string& what) {
  check_refused_at([&] { return parse(text); }, text, fmt::format("circuit.blif:{}: ", line), what);
}

// A model of one truth table of `inputs` inputs that lists the rows of `table` for value 1 or 0.
std::string model_of(unsigned inputs, unsigned table, bool value) {
  std::string text = ".model table\n.inputs";
  std::string names;
  for (unsigned i = 0; i < inputs; ++i) names += fmt::format(" x[{}]", i);
  text += names + "\n.outputs y\n.names" + names + " y\n";
  for (unsigned m = 0; m < 1U << inputs; ++m) {
    if (((table >> m & 1U) != 0) != value) continue;
    for (unsigned i = 0; i < inputs; ++i) text += (m >> i & 1U) != 0 ? '1' : '0';
    text += value ? " 1\n" : " 0\n";
  }
  return text + ".end\n";
}

// All rows listed as 0 stand for the function 0; no row at all says nothing about the value.
bool says_its_value(unsigned inputs, unsigned table, bool value) {
  return value || table != (1U << (1U << inputs)) - 1;
}

Netlist data_circuit(const std::string& name) {
  return load_netlist(std::string(FHE_TEST_DATA_DIR) + "/circuits/" + name);
}

// Names of 16 bytes that have one hash under std::hash of libstdc++, which is MurmurHash64A with a
// known seed. It goes through a name in blocks of 8 bytes, and every step can be taken back: for
// any first block there is a second one that leads to the same end.
std::vector<std::string> colliding_names(std::size_t count) {
  constexpr std::uint64_t kFactor = 0xc6a4a7935bd1e995;
  constexpr std::uint64_t kInverse = 0x5f7a0ea7e59b19bd;  // of the factor, modulo 2^64
  static_assert(kFactor * kInverse == 1);
  const auto shift_mix = [](std::uint64_t x) { return x ^ x >> 47; };  // its own inverse
  const auto mixed = [&](std::uint64_t block) { return shift_mix(block * kFactor) * kFactor; };
  const auto unmixed = [&](std::uint64_t x) { return shift_mix(x * kInverse) * kInverse; };
  const auto bytes = [](std::uint64_t block) {
    return std::string(reinterpret_cast<const char*>(&block), sizeof block);
  };
  constexpr std::uint64_t kStart = 0xc70f6907 ^ 16 * kFactor;
  std::mt19937_64 random(1);
  std::vector<std::string> names;
  while (names.size() < count) {
    const std::uint64_t first = random();
    const std::uint64_t between = (kStart ^ mixed(first)) * kFactor;
    const std::string name = bytes(first) + bytes(unmixed(between));
    if (name.find_first_of(" \t\r\f\v\n#\\") == std::string::npos) names.push_back(name);
  }
  return names;
}

const std::string kHead = ".model m\n.inputs a b\n.outputs y\n";

}  // namespace

TEST_CASE("every truth table of one to three inputs is read, listed by ones and by zeros",
          "[circuit]") {
  for (unsigned inputs = 1; inputs <= 3; ++inputs) {
    for (unsigned table = 0; table < 1U << (1U << inputs); ++table) {
      for (const bool value : {false, true}) {
        if (!says_its_value(inputs, table, value)) continue;
        const Netlist netlist = parse(model_of(inputs, table, value));
        CHECK(costs(netlist).products < inputs);
        for (unsigned m = 0; m < 1U << inputs; ++m) {
          const bool y = evaluate_plain(netlist, bits_of(m, inputs)).at(0);
          if (y == ((table >> m & 1U) != 0)) continue;
          CAPTURE(inputs, table, value, m);
          CHECK(y == ((table >> m & 1U) != 0));
        }
      }
    }
  }
}

TEST_CASE("wide truth tables with rows that leave inputs out are read", "[circuit]") {
  const Netlist netlist = parse(
      ".model m\n.inputs x[0] x[1] x[2] x[3] x[4]\n.outputs y z\n"
      ".names x[0] x[1] x[2] x[3] x[4] y\n1-0-- 1\n-11-1 1\n---00 1\n"
      ".names x[0] x[1] x[2] x[3] z\n1111 0\n.end\n");
  for (unsigned m = 0; m < 32; ++m) {
    const auto x = bits_of(m, 5);
    const bool y = (x[0] && !x[2]) || (x[1] && x[2] && x[4]) || (!x[3] && !x[4]);
    const bool z = !(x[0] && x[1] && x[2] && x[3]);
    CHECK(evaluate_plain(netlist, x) == std::vector<bool>{y, z});
  }
}

TEST_CASE("simple cells cost the ANDs that they need", "[circuit]") {
  const auto products = [](const std::string& inputs, const std::string& rows) {
    const std::string text =
        ".model m\n.inputs " + inputs + "\n.outputs y\n.names " + inputs + " y\n" + rows + ".end\n";
    return costs(parse(text)).products;
  };
  CHECK(products("a b", "10 1\n01 1\n") == 0);
  CHECK(products("a b", "0- 1\n-0 1\n") == 1);
  CHECK(products("a b s", "1-0 1\n-11 1\n") == 1);                // mux
  CHECK(products("a b s", "0-0 1\n-01 1\n") == 1);                // inverted mux
  CHECK(products("a b c", "-00 1\n0-0 1\n") == 2);                // and-or-invert
  CHECK(products("a b c", "100 1\n010 1\n001 1\n111 1\n") == 0);  // xor of three
  CHECK(products("a b c", "11- 1\n1-1 1\n-11 1\n") == 1);         // majority
  CHECK(products("a b c d", "11-- 1\n--11 1\n") == 3);            // and-or, by its rows
  CHECK(products("a b c d", "0--- 0\n-0-- 0\n--0- 0\n---0 0\n") == 3);
  CHECK(products("a b s c", "1-00 1\n0-01 1\n-110 1\n-011 1\n") == 1);  // mux, then xor
}

TEST_CASE("what Yosys writes around the tables is understood", "[circuit]") {
  const Netlist netlist = parse(
      "# Generated by Yosys\n\n"
      ".model adder\n"
      ".inputs a[0] a[1] \\\n b[0] b[1] c\n"
      ".outputs s[0] s[1] one zero\n"
      ".names $false\n.names $true\n1\n.names $undef\n"
      ".names a[0] b[0] s[0]\n10 1\n01 1\n"
      ".names $t c s[1]  # a comment\n10 1\n01 1\n"
      ".names a[1] $t\n1 1\n"
      ".names $true one\n1 1\n"
      ".names $false zero\n1 1\n"
      ".end\n");
  CHECK(netlist.inputs() == std::vector<InputWord>{{"a", 2}, {"b", 2}, {"c", 1}});
  CHECK(netlist.outputs().size() == 3);
  // a = 2, b = 1, c = 0
  CHECK(evaluate_plain(netlist, {false, true, true, false, false}) ==
        std::vector<bool>{true, true, true, false});
}

TEST_CASE("BLIF as other tools and options write it is understood", "[circuit]") {
  // Notes, connections, tabs, carriage returns, several lists of ports, names of many characters,
  // a list that ends in a backslash, and a value for every row of a table of zeros.
  const std::string text =
      "# a comment\n"
      ".model \\top.of[everything]\n"
      ".attr src \"top.v:1.1\"\n"
      ".inputs \\x[4]\t\\x[5] \\x[6] \\\n"
      "\n"
      ".inputs \\u.v[0][1] clk:<3> \\  \n"
      "  last\n"
      ".outputs y\n"
      ".outputs z $w~1^2\n"
      ".conn \\x[4] $abc$17$new_n9_\n"
      ".names $abc$17$new_n9_ \\x[5] \\x[6]   y\n"
      ".cname the_gate\n"
      ".param WIDTH 3\n"
      ".names $abc$17$new_n9_\tclk:<3>\tz\n"
      "-0\t0\n"
      "0-   0\n"
      ".names last \\u.v[0][1] $w~1^2\n"
      "1- 1\n"
      "-1 1\n"
      "11 1\n"
      "   .end  \n\n";
  const auto check = [](const Netlist& netlist) {
    CHECK(netlist.inputs() ==
          std::vector<InputWord>{{"\\x", 3}, {"\\u.v[0]", 1}, {"clk:<3>", 1}, {"last", 1}});
    CHECK(costs(netlist).products == 2);
    for (unsigned m = 0; m < 64; ++m) {
      const auto x = bits_of(m, 6);
      CHECK(evaluate_plain(netlist, x) == std::vector<bool>{false, x[0] && x[4], x[5] || x[3]});
    }
  };
  check(parse(text));
  std::string carriage_returns;
  for (const char c : text) carriage_returns += c == '\n' ? std::string("\r\n") : std::string(1, c);
  check(parse(carriage_returns));
}

TEST_CASE("BLIF files that are wrong are refused at their line", "[circuit]") {
  check_refused("", 0, "no .model");
  check_refused(".inputs a\n", 1, "before .model");
  check_refused(".model m\n.inputs a\n.end\n", 3, "no .outputs");
  check_refused(kHead + ".names a b y\n11 1\n.end\n.names a b\n", 7, "after .end");
  check_refused(kHead + ".model n\n.end\n", 3, "by a line '.names y'");
  check_refused(kHead + ".subckt $add A=a B=b Y=y\n.end\n", 4, "synth -flatten");
  check_refused(kHead + ".gate NAND A=a B=b Y=y\n.end\n", 4, "'.gate'");
  check_refused(kHead + ".table a b y\n.end\n", 4, "not understood");
  check_refused(kHead + ".conn a\n.end\n", 4, "two nets");
  check_refused(kHead + ".conn a y\n.conn b y\n.end\n", 5, "'y' is driven a second");
  check_refused(kHead + ".conn a y\n1 1\n.end\n", 5, "outside a .names");
  check_refused(kHead + ".conn y t\n.conn t y\n.end\n", 5, "depends on itself");
  check_refused(kHead + "11 1\n.end\n", 4, "outside a .names");
  check_refused(kHead + ".names\n.end\n", 4, "without an output");
  check_refused(kHead + ".names a b y\n111 1\n.end\n", 5, "no row for 2 inputs");
  check_refused(kHead + ".names a b y\n1x 1\n.end\n", 5, "no row for 2 inputs");
  check_refused(kHead + ".names a b y\n11 2\n.end\n", 5, "0 or 1, not '2'");
  check_refused(kHead + ".names a b y\n11\n.end\n", 5, "a row of a truth table");
  check_refused(kHead + ".names y\n1 1\n.end\n", 5, "a row of a truth table");
  check_refused(kHead + ".names a b y\n11 1\n00 0\n.end\n", 6, "not both");
}

TEST_CASE("notes on delays, areas and loads change nothing", "[circuit]") {
  const std::string text = kHead + ".names a b y\n11 1\n";
  const std::string notes =
      ".wire_load_slope 0.00\n.wire 1 2 3\n.area 2\n.delay a INV 1 1 1 1 1 1\n"
      ".input_arrival a 1 1\n.default_input_arrival 0 0\n.output_required y 2 2\n"
      ".default_output_required 2 2\n.input_drive a 1 1\n.default_input_drive 1 1\n"
      ".output_load y 1\n.default_output_load 1\n.max_input_load a 9\n"
      ".default_max_input_load 9\n.cycle 10\n.clock_event 5 (r)\n";
  CHECK(parse(kHead + notes + ".names a b y\n11 1\n.end\n") == parse(text));
  check_refused(text + ".area 2\n01 1\n", 7, "outside a .names");
}

TEST_CASE("a model of BLIF ends at .exdc, at another one or with the file", "[circuit]") {
  const std::string text = kHead + ".names a b y\n11 1\n";
  const Netlist netlist = parse(text + ".end\n");
  CHECK(parse(text) == netlist);
  CHECK(parse(text + ".exdc\n.inputs a b\n.outputs y\n.names a b y\n00 1\n.end\n") == netlist);
  CHECK(parse(text + ".exdc\nanything\n") == netlist);
  CHECK(parse(text + ".model other\n.gate X\nanything\n.end\n") == netlist);
  CHECK(parse(text + ".exdc\n.names\n.model other\n") == netlist);
  CHECK(parse("\xef\xbb\xbf" + text) == netlist);
}

TEST_CASE("models of the same BLIF file take the place of their instances", "[circuit]") {
  const std::string inverter = ".model inv\n.inputs A\n.outputs Y\n.names A Y\n0 1\n.end\n";
  const std::string cell =
      ".model cell\n.inputs p q[0]\n.outputs r s\n.subckt inv A=q[0] Y=t\n"
      ".names p t r\n11 1\n.names t s\n1 1\n";
  const Netlist netlist =
      parse(kHead + ".subckt cell p=a q[0]=b r=t\n.subckt cell p=t q[0]=b r=y s=u\n.end\n" +
            inverter + cell + ".end\n");
  for (unsigned m = 0; m < 4; ++m) {
    const auto x = bits_of(m, 2);
    CHECK(evaluate_plain(netlist, x) == std::vector<bool>{x[0] && !x[1]});
  }
  const ClockedCircuit shift = parse_blif(
      ".model top\n.inputs d\n.outputs q\n.clock clk\n.subckt reg d=d q=t c=clk\n"
      ".subckt reg d=t q=q c=clk\n.end\n"
      ".model reg\n.inputs d\n.outputs q\n.clock c\n.latch d q re c 1\n.end\n",
      "circuit.blif");
  CHECK(shift.initial() == std::vector<bool>{true, true});
  CHECK(shift.inputs().size() == 1);
  CHECK(outputs_in_cycles(shift, {{false}, {true}, {true}, {true}}) ==
        std::vector<std::vector<bool>>{{true}, {true}, {false}, {true}});
}

TEST_CASE("models of BLIF that cannot take the place of their instances are refused", "[circuit]") {
  const auto refused = [](const std::string& instance, const std::string& model, std::size_t line,
                          const std::string& what) {
    check_refused(kHead + ".subckt " + instance + "\n.end\n" + model, line, what);
  };
  const std::string inverter = ".model inv\n.inputs A\n.outputs Y\n.names A Y\n0 1\n.end\n";
  refused("other A=a Y=y", inverter, 4, "not described here");
  refused("inv A=a Z=y", inverter, 4, "no port 'Z'");
  refused("inv A=a A=b Y=y", inverter, 4, "'A' is connected twice");
  refused("inv Y=y", inverter, 4, "its input 'A'");
  refused("inv A=a Y=", inverter, 4, "write port=net");
  refused("inv A=a y", inverter, 4, "write port=net");
  refused("inv A=a Y=y", inverter + inverter, 4, "two models of that name");
  refused("m a=a b=b y=y", "", 4, "contains itself");
  refused("p A=a Y=y", ".model p\n.inputs A\n.outputs Y\n.subckt p A=A Y=Y\n", 9,
          "contains itself");
  refused("box A=a Y=y", ".model box\n.inputs A\n.outputs Y\n.blackbox\n.end\n", 9, "black box");
  refused("inv A=a Y=y", ".model inv\n.inputs A\n.outputs Y\n.names A Y\n2 1\n", 10, "no row");
  check_refused(kHead + ".subckt\n", 4, "without a model");
}

TEST_CASE("models of BLIF are not repeated or nested without end", "[circuit]") {
  // Each model holds the next one `copies` times.
  const auto nested = [](unsigned levels, unsigned copies) {
    std::string text = ".model m0\n.inputs a\n.outputs y\n";
    for (unsigned level = 1; level < levels; ++level) {
      for (unsigned i = 0; i < copies; ++i) {
        text += fmt::format(".subckt m{} a=a y={}\n", level, i == 0 ? "y" : fmt::format("t{}", i));
      }
      text += fmt::format(".end\n.model m{}\n.inputs a\n.outputs y\n", level);
    }
    return text + ".names a y\n1 1\n.end\n";
  };
  CHECK(evaluate_plain(parse(nested(60, 1)), {true}) == std::vector<bool>{true});
  CHECK_THROWS_MATCHES(parse(nested(100, 1)), Error,
                       HasCode(ErrorCode::malformed_file, "flatten the design"));
  CHECK_THROWS_MATCHES(parse(nested(30, 3)), Error,
                       HasCode(ErrorCode::malformed_file, "64 times the file"));
}

TEST_CASE("BLIF nets that are driven twice, never or by themselves are refused", "[circuit]") {
  check_refused(kHead + ".names a y\n1 1\n.names b y\n1 1\n.end\n", 6, "'y' is driven a second");
  check_refused(kHead + ".names b a\n1 1\n.names a y\n1 1\n.end\n", 4, "'a' is driven a second");
  check_refused(kHead + ".names a t y\n11 1\n.end\n", 4, "nothing drives net 't'");
  check_refused(kHead + ".names a t\n1 1\n.end\n", 3, "nothing drives net 'y'");
  check_refused(kHead + ".names a y y\n11 1\n.end\n", 4, "depends on itself");
  check_refused(kHead + ".names a y\n1 1\n.names u t\n1 1\n.names t u\n1 1\n.end\n", 8,
                "depends on itself");
  check_refused(".model m\n.inputs a[0] a[2]\n.outputs y\n.names a[0] y\n1 1\n.end\n", 2,
                "some are missing");
  check_refused(".model m\n.inputs a a\n.outputs y\n.names a y\n1 1\n.end\n", 2, "a second time");
  check_refused(".model m\n.inputs a[4000000000]\n.outputs y\n.end\n", 2, "at most");
  check_refused(".model m\n.inputs a[99999999999999999999]\n.outputs y\n.end\n", 2, "at most");
}

TEST_CASE("Yosys lists the lowest bit first, whichever way a port is declared", "[circuit]") {
  // input [0:7] a, output [0:7] y; y = a + 1
  const Netlist up = data_circuit("ascending_port.blif");
  CHECK(up.inputs() == std::vector<InputWord>{{"a", 8}});
  REQUIRE(up.outputs().size() == 1);
  for (unsigned a = 0; a < 256; ++a) {
    CHECK(number_of(evaluate_plain(up, bits_of(a, 8))) == (a + 1) % 256);
  }
  // input [3:-1] a, input [-2:1] b, output [3:-1] z, output [-2:1] w; z = a + 1, w = b + 1
  const Netlist negative = data_circuit("negative_index.blif");
  CHECK(negative.inputs() == std::vector<InputWord>{{"a", 5}, {"b", 4}});
  REQUIRE(negative.outputs().size() == 2);
  CHECK(negative.outputs()[0].name == "z");
  CHECK(negative.outputs()[1].name == "w");
  for (unsigned x = 0; x < 512; ++x) {
    const auto outputs = evaluate_plain(negative, bits_of(x, 9));
    CHECK(number_of(outputs, 0, 5) == (x % 32 + 1) % 32);
    CHECK(number_of(outputs, 5, 4) == (x / 32 + 1) % 16);
  }
  // input [1:0] a, input [0:1] b, output [0:1] y; y = a + b
  const Netlist mixed = data_circuit("mixed_ports.blif");
  for (unsigned x = 0; x < 16; ++x) {
    CHECK(number_of(evaluate_plain(mixed, bits_of(x, 4))) == (x % 4 + x / 4) % 4);
  }
}

TEST_CASE("the bits of BLIF ports are put together where their order is known", "[circuit]") {
  const auto inputs = [](const std::string& ports, const std::string& first = "") {
    return parse(first + ".model m\n.inputs " + ports + "\n.outputs y\n.names y\n1\n.end\n")
        .inputs();
  };
  using Words = std::vector<InputWord>;
  const std::string yosys = "# Generated by Yosys 0.23 (git sha1 7ce5011c24b)\n\n";
  CHECK(inputs("a[0] b[4] a[1] c b[5] a[2]") == Words{{"a", 3}, {"b", 2}, {"c", 1}});
  CHECK(inputs("a[-2] a[-1] a[0] a[1]") == Words{{"a", 4}});
  CHECK(inputs("a[1000] a[1001]") == Words{{"a", 2}});
  CHECK(inputs("a[7]") == Words{{"a", 1}});
  CHECK(inputs("a[b] a[] [3] a[-] a[--1] a[+1]") ==
        Words{{"a[b]", 1}, {"a[]", 1}, {"[3]", 1}, {"a[-]", 1}, {"a[--1]", 1}, {"a[+1]", 1}});
  CHECK(inputs("a[1] a[0]", yosys) == Words{{"a", 2}});
  CHECK(inputs("a[0] b[1] a[-1] b[0]", yosys) == Words{{"a", 2}, {"b", 2}});
}

TEST_CASE("BLIF ports whose bits have no known order are refused", "[circuit]") {
  const auto refused = [](const std::string& ports, const std::string& what) {
    for (const std::string kind : {".inputs ", ".outputs "}) {
      check_refused(".model m\n\n" + kind + ports + "\n.end\n", 3, what);
    }
  };
  refused("a[1] a[0]", "port 'a' is listed from bit 1 on");
  refused("a[0] a[2] a[1]", "lowest is not known");
  refused("a[0] a[2]", "some are missing");
  refused("a[-1] a[1]", "2 bits between -1 and 1: some are missing");
  refused("a[2] a[0]", "some are missing");
  refused("a a[1]", "with and without an index");
  refused("a[0] a", "with and without an index");
  refused("a[0] b a[0]", "'a' has the same bit a second time");
  refused("a[0] a[-0]", "'a' has the same bit a second time");
  refused("a b a", "'a' has the same bit a second time");
  refused("a[-2147483648]", "at most 2147483647");
  check_refused("# Generated by Yosys 0.23\n.model m\n.inputs a[2] a[0] a[1]\n.outputs y\n.end\n",
                3, "lowest is not known");
}

TEST_CASE("names of BLIF ports can be shown", "[circuit]") {
  check_refused(".model m\n.inputs a \x1b[31mred\n.outputs y\n.end\n", 2, "'?[31mred'");
  check_refused(".model m\n.inputs a\n.outputs y\xff\n.end\n", 3, "beyond printable ASCII");
}

TEST_CASE("names of BLIF that were chosen to collide cost no more than others", "[circuit]") {
  const auto seconds = [](const std::vector<std::string>& names) {
    std::string text = ".model m\n.outputs y\n.names y\n1\n";
    for (const std::string& name : names) text += ".names " + name + "\n";
    text += ".end\n";
    const auto start = std::chrono::steady_clock::now();
    CHECK(parse(text).wires() == 1);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  constexpr std::size_t kNames = 30000;
  const std::vector<std::string> colliding = colliding_names(kNames);
  CHECK(std::hash<std::string_view>()(colliding.front()) ==
        std::hash<std::string_view>()(colliding.back()));
  std::vector<std::string> others;
  for (std::size_t i = 0; i < kNames; ++i) others.push_back(fmt::format("name{:012}", i));
  const double expected = std::min(seconds(others), seconds(others));
  CHECK(std::min(seconds(colliding), seconds(colliding)) < 10 * expected);
}

TEST_CASE("latches of BLIF are registers", "[circuit]") {
  const std::string head = ".model m\n.inputs d clk\n.outputs q\n";
  const auto read = [&](const std::string& lines) {
    return parse_blif(head + lines + ".end\n", "circuit.blif");
  };
  const ClockedCircuit rising = read(".latch d q re clk 1\n");
  REQUIRE(rising.registers() == 1);
  CHECK(rising.initial() == std::vector<bool>{true});
  REQUIRE(rising.inputs().size() == 1);  // the clock is none
  CHECK(rising.inputs()[0].name == "d");
  CHECK(rising.outputs().size() == 1);
  CHECK(outputs_in_cycles(rising, {{false}, {true}, {false}}) ==
        std::vector<std::vector<bool>>{{true}, {false}, {true}});
  CHECK(read(".latch d q fe clk 1\n") == rising);
  for (const char* const unknown : {"0", "2", "3", ""}) {
    CHECK(read(fmt::format(".latch d q re clk {}\n", unknown)).initial() ==
          std::vector<bool>{false});
  }
  // Without a clock in the file, `clk` is an input like any other.
  for (const char* const global : {"", "0", "re NIL", "re NIL 0"}) {
    CAPTURE(global);
    const ClockedCircuit made = read(fmt::format(".latch d q {}\n", global));
    CHECK(made.inputs().size() == 2);
    CHECK(made.registers() == 1);
  }
  // A register that holds its inverse; its cycle goes through the register.
  const ClockedCircuit toggle = read(".latch n q re clk 0\n.names q n\n0 1\n");
  CHECK(outputs_in_cycles(toggle, {{true}, {true}, {true}}) ==
        std::vector<std::vector<bool>>{{false}, {true}, {false}});
}

TEST_CASE("latches of BLIF that are no registers of one clock are refused", "[circuit]") {
  const std::string head = ".model m\n.inputs d clk en\n.outputs q\n";
  const auto refused = [&](const std::string& lines, std::size_t line, const std::string& what) {
    check_refused(head + lines + ".end\n", line, what);
  };
  refused(".latch d q ah en 2\n", 4, "clk2fflogic");
  refused(".latch d q al en\n", 4, "has no clock");
  refused(".latch d q as en 0\n", 4, "has no clock");
  refused(".latch d q xx clk\n", 4, "no type of latch");
  refused(".latch d q re clk 4\n", 4, "at most 3");
  refused(".latch d q re\n", 4, "not a number");
  refused(".latch d\n", 4, "names two nets");
  refused(".latch d q re clk 0 0\n", 4, "names two nets");
  refused(".latch d t re clk\n.latch t q re en\n", 5, "another clock than the one in line 4");
  refused(".latch d t re clk\n.latch t q fe clk\n", 5, "another edge");
  refused(".latch d t re clk\n.latch t q 0\n", 5, "another clock");
  refused(".latch d q re gated\n.names clk en gated\n11 1\n", 4, "'gated' is no input");
  refused(".latch clk q re clk\n", 4, "another use");
  refused(".latch d t re clk\n.names t clk q\n11 1\n", 5, "another use");
  refused(".latch d clk re clk\n.names d q\n1 1\n", 4, "another use");
  refused(".latch d q re clk\n.names d clk\n1 1\n", 5, "another use");
  refused(".latch d q re clk\n.latch en q re clk\n", 5, "'q' is driven a second time");
  refused(".latch d q re clk\n.names d q\n1 1\n", 5, "'q' is driven a second time");
  refused(".latch t q re clk\n", 4, "nothing drives net 't'");
  check_refused(".model m\n.inputs d c[0] c[1]\n.outputs q\n.latch d q re c[0]\n.end\n", 4,
                "no input of one bit");
  check_refused(".model m\n.inputs d clk\n.outputs q clk\n.latch d q re clk\n.end\n", 3,
                "another use");
  CHECK_THROWS_MATCHES(data_circuit("counter.blif"), Error,
                       HasCode(ErrorCode::malformed_file, "fhe run --cycles"));
}

TEST_CASE("altered BLIF files are refused or are circuits, but nothing else", "[circuit]") {
  const std::string text =
      ".model m\n.inputs a[0] a[1] \\\n b\n.outputs y z\n.names a[0] a[1] t # comment\n"
      "11 1\n.names t b y\n0- 1\n-0 1\n.latch t z re clk 1\n.inputs clk\n.end\n";
  const std::size_t parsed = parse_altered({text}, parse_blif, 4000);
  CHECK(parsed > 10);
  CHECK(parsed < 3000);
}

TEST_CASE("long chains and wide tables are read in reasonable time", "[circuit]") {
  constexpr int kLength = 100000;
  std::string chain = ".model m\n.inputs n0\n.outputs n" + std::to_string(kLength) + "\n";
  for (int i = kLength; i-- > 0;) chain += fmt::format(".names n{} n{}\n0 1\n", i, i + 1);
  CHECK(evaluate_plain(parse(chain + ".end\n"), {true}) == std::vector<bool>{kLength % 2 == 0});
  std::string wide = ".model m\n.inputs";
  std::string names;
  for (int i = 0; i < 2000; ++i) names += fmt::format(" x[{}]", i);
  wide += names + "\n.outputs y\n.names" + names + " y\n" + std::string(2000, '1') + " 1\n.end\n";
  const Netlist all = parse(wide);
  CHECK(evaluate_plain(all, std::vector<bool>(2000, true)).at(0));
  CHECK(costs(all).and_depth == 11);
}

}  // namespace fhe::test
