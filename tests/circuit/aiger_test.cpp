// SPDX-License-Identifier: Apache-2.0
// AIGER: text and binary, latches, symbols; wrong files refused at their line.
#include "libfhe/circuit/aiger.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/support/altered_circuits.hpp"
#include "tests/support/circuits.hpp"
#include "tests/support/clocked_circuits.hpp"
#include "tests/support/errors.hpp"

namespace fhe::test {

namespace {

ClockedCircuit parse(const std::string& text) {
  return parse_aiger(text, "circuit.aag");
}

void check_refused(const std::string& text, std::size_t line, const std::string& what) {
  check_refused_at([&] { return parse(text); }, text, fmt::format("circuit.aag:{}: ", line), what);
}

// An AND of two variables, each inverted or not, and inverted or not.
std::string one_and(unsigned x, unsigned y, unsigned out) {
  return fmt::format("aag 3 2 0 1 1\n2\n4\n{}\n6 {} {}\n", 6 + out, 4 + y, 2 + x);
}

// Variables 1 .. 3 are inputs s, x, y; the last of the ANDs is the output.
std::string three_ands(const std::array<unsigned, 6>& literals) {
  return fmt::format("aag 6 3 0 1 3\n2\n4\n6\n12\n8 {} {}\n10 {} {}\n12 {} {}\n", literals[0],
                     literals[1], literals[2], literals[3], literals[4], literals[5]);
}

bool literal_value(unsigned literal, unsigned values) {
  return ((values >> (literal / 2) & 1U) ^ (literal & 1U)) != 0;
}

}  // namespace

TEST_CASE("all ANDs of AIGER are read", "[circuit]") {
  for (unsigned x = 0; x < 2; ++x) {
    for (unsigned y = 0; y < 2; ++y) {
      for (unsigned out = 0; out < 2; ++out) {
        const Netlist netlist = parse(one_and(x, y, out)).step();
        for (unsigned m = 0; m < 4; ++m) {
          const bool expected = (((m & 1U) ^ x) & ((m >> 1) ^ y)) != out;
          CHECK(evaluate_plain(netlist, {(m & 1U) != 0, m > 1}) == std::vector<bool>{expected});
        }
      }
    }
  }
}

// All pairs of ANDs of the literals of three inputs, under an AND of their inverses: choices and
// sums are recognised among them, and everything is what it says.
TEST_CASE("choices and sums of AIGER are recognised, and nothing else is", "[circuit]") {
  std::size_t sums = 0;
  std::size_t choices = 0;
  for (unsigned a = 2; a < 8; ++a) {
    for (unsigned b = a; b < 8; ++b) {
      for (unsigned c = 2; c < 8; ++c) {
        for (unsigned d = c; d < 8; ++d) {
          const Netlist netlist = parse(three_ands({a, b, c, d, 9, 11})).step();
          for (unsigned m = 0; m < 8; ++m) {
            const unsigned values = m << 1;
            const bool p = literal_value(a, values) && literal_value(b, values);
            const bool q = literal_value(c, values) && literal_value(d, values);
            REQUIRE(evaluate_plain(netlist, {(m & 1U) != 0, (m & 2U) != 0, (m & 4U) != 0}) ==
                    std::vector<bool>{!p && !q});
          }
          const std::size_t products = costs(netlist).products;
          REQUIRE(products <= 3);
          if (products == 0) ++sums;
          if (products == 1) ++choices;
        }
      }
    }
  }
  CHECK(sums > 0);
  CHECK(choices > 0);
  CHECK(costs(parse(three_ands({2, 4, 3, 5, 9, 11})).step()).products == 0);  // equality
  CHECK(costs(parse(three_ands({2, 4, 3, 6, 9, 11})).step()).products == 1);  // choice
  CHECK(costs(parse(three_ands({2, 4, 3, 6, 8, 10})).step()).products == 3);  // ANDs of ANDs
}

TEST_CASE("AIGER in text and in binary is the same", "[circuit]") {
  // y = s ? a : b, and an inverse and both constants as outputs.
  const std::string text = "aag 6 3 0 4 3\n2\n4\n6\n13\n5\n0\n1\n8 4 2\n10 6 3\n12 11 9\n";
  const std::string binary =
      std::string("aig 6 3 0 4 3\n13\n5\n0\n1\n") + "\x04\x02" + "\x04\x03" + "\x01\x02";
  const ClockedCircuit circuit = parse(text);
  CHECK(parse(binary) == circuit);
  for (unsigned m = 0; m < 8; ++m) {
    const bool s = (m & 1U) != 0;
    const bool a = (m & 2U) != 0;
    const bool b = (m & 4U) != 0;
    CHECK(evaluate_plain(circuit.step(), {s, a, b}) ==
          std::vector<bool>{s ? a : b, !a, false, true});
  }
  // ANDs of text may come in any order.
  CHECK(parse("aag 6 3 0 4 3\n2\n4\n6\n13\n5\n0\n1\n12 11 9\n10 6 3\n8 4 2\n") == circuit);
  // A difference of several bytes.
  std::string far = "aig 201 200 0 1 1\n402\n";
  far += "\x82\x03";  // 402 - 386 = 16
  CHECK_THROWS_AS(parse(far), Error);
  far.resize(far.size() - 2);
  far += "\x92\x03\x01";  // 402 - 402 = 0, and below it nothing
  CHECK_THROWS_AS(parse(far), Error);
  far.resize(far.size() - 3);
  far += "\x90\x03";  // 402 - 400 = 2
  far.push_back('\0');
  const Netlist one = parse(far).step();
  std::vector<bool> inputs(200);
  CHECK(evaluate_plain(one, inputs) == std::vector<bool>{false});
  inputs[0] = true;
  CHECK(evaluate_plain(one, inputs) == std::vector<bool>{true});
}

TEST_CASE("latches of AIGER are registers", "[circuit]") {
  // A toggle that starts with its reset value.
  const auto toggle = [](const std::string& reset) {
    return parse("aag 1 0 1 1 0\n2 3" + reset + "\n2\n");
  };
  CHECK(toggle("").initial() == std::vector<bool>{false});
  CHECK(toggle(" 0").initial() == std::vector<bool>{false});
  CHECK(toggle(" 1").initial() == std::vector<bool>{true});
  CHECK(toggle(" 2").initial() == std::vector<bool>{false});  // unknown
  CHECK(outputs_in_cycles(toggle(" 1"), {{}, {}, {}}) ==
        std::vector<std::vector<bool>>{{true}, {false}, {true}});
  CHECK(parse("aig 1 0 1 1 0\n3 1\n2\n") == toggle(" 1"));
  CHECK(parse("aig 2 1 1 1 0\n2\n4\n").registers() == 1);
}

TEST_CASE("symbols of AIGER name words", "[circuit]") {
  const std::string head = "aag 4 4 0 2 0\n2\n4\n6\n8\n2\n9\n";
  const auto names = [](const ClockedCircuit& circuit) {
    std::string text;
    for (const InputWord& word : circuit.inputs())
      text += fmt::format("{}{} ", word.name, word.width);
    for (const OutputWord& word : circuit.outputs()) {
      text += fmt::format("{}{} ", word.name, word.wires.size());
    }
    return text;
  };
  CHECK(names(parse(head)) == "in4 out2 ");
  CHECK(names(parse(head + "i0 a[0]\ni1 b\ni2 a[1]\ni3 c[7]\n")) == "a2 b1 c1 out2 ");
  CHECK(names(parse(head + "o1 y#[1]\no0 y#[0]\nc\nany\xff thing\n")) == "in4 y#2 ");
  CHECK(names(parse(head + "o0 y[1]\no1 y[0]\nc\nGenerated by Yosys 0.23\n")) == "in4 y2 ");
  check_refused(head + "o0 y[1]\no1 y[0]\nc\nmade by hand\n", 8, "which bit is its lowest");
  check_refused(head + "o0 y[1]\no1 y[0]\n", 8, "which bit is its lowest");
  check_refused(head + "i0 a\n", 1, "name all of them or none");
  check_refused(head + "i0 a\ni0 b\n", 9, "second name");
  check_refused(head + "i4 a\n", 8, "at most 3");
  check_refused(head + "l0 a\n", 8, "here there is none");
  check_refused(head + "ix a\n", 8, "not a number");
  check_refused(head + "i0\n", 8, "no symbol");
  check_refused(head + "i0 \n", 8, "no symbol");
  check_refused(head + "b0 a\n", 8, "here there is none");
  check_refused(head + "c0 a\n", 8, "here there is none");
  check_refused(head + "j0 a\n", 8, "no symbol");
  check_refused(head + "\n", 8, "no symbol");
  check_refused(head + "o0 a b\no1 c\n", 8, "blanks");
  check_refused(head + "o0 a\no1 a\n", 9, "a second time");
  CHECK(names(parse(head + "c\n")) == "in4 out2 ");
  CHECK(names(parse(head + "c")) == "in4 out2 ");
}

TEST_CASE("bad states and constraints of AIGER are outputs", "[circuit]") {
  const auto names = [](const ClockedCircuit& circuit) {
    std::string text;
    for (const OutputWord& word : circuit.outputs()) text += word.name + " ";
    return text;
  };
  // As ABC writes a toggle: its output is a bad state.
  const ClockedCircuit toggle = parse("aag 1 0 1 0 0 1\n2 3\n2\nb0 q\n");
  CHECK(names(toggle) == "q ");
  CHECK(outputs_in_cycles(toggle, {{}, {}, {}}) ==
        std::vector<std::vector<bool>>{{false}, {true}, {false}});
  CHECK(parse("aig 1 0 1 0 0 1 0\n3\n2\nb0 q\nc\n") == toggle);
  // Outputs, bad states and constraints, in this order, in text and in binary.
  const std::string body = "4\n5\n2\n3\n";
  const ClockedCircuit all = parse("aag 2 2 0 1 0 2 1 0 0\n2\n4\n" + body);
  CHECK(names(all) == "out bad0 bad1 constraint0 ");
  CHECK(parse("aig 2 2 0 1 0 2 1 0 0\n" + body) == all);
  CHECK(evaluate_plain(all.step(), {true, false}) == std::vector<bool>{false, true, true, false});
  CHECK(names(parse("aag 2 2 0 1 0 2 1\n2\n4\n" + body + "b1 p\nc0 fair\no0 y\nc\nby hand\n")) ==
        "y bad0 p fair ");
  check_refused("aag 2 2 0 1 0 2 1\n2\n4\n" + body + "o0 bad0\n", 1, "a second time");
  check_refused("aag 2 2 0 1 0 2 1\n2\n4\n" + body + "b2 x\n", 8, "at most 1");
}

TEST_CASE("AIGER files that are wrong are refused at their line", "[circuit]") {
  check_refused("", 0, "before the header");
  check_refused("aag 1 1 0 1\n", 1, "6 to 10");
  check_refused("abc 1 1 0 1 0\n", 1, "begins with 'aag'");
  check_refused("aag 1 1 0 1 0 0 0 0 1\n2\n2\n", 1, "fairness");
  check_refused("aag 1 1 0 1 0 0 0 1\n2\n2\n1\n2\n", 1, "justice");
  check_refused("aag 1 1 0 1 0 1\n2\n2\n", 3, "before a bad state");
  check_refused("aag 1 1 0 1 0 0 1\n2\n2\n", 3, "before a constraint");
  CHECK_NOTHROW(parse("aag 1 1 0 1 0 0 0 0 0\n2\n2\n"));
  check_refused("aag 1 2 0 1 0\n2\n2\n2\n", 1, "1 variables, and 2");
  check_refused("aig 2 1 0 1 0\n2\n", 1, "2 variables, and 1");
  check_refused("aag 1 1 0 0 0\n2\n", 1, "no outputs");
  check_refused("aag 99999999999999999999 1 0 1 0\n2\n2\n", 1, "at most");
  check_refused("aag 1 99999999999999999999 0 1 0\n2\n2\n", 1, "at most");
  check_refused("aig 4000000000 4000000000 0 1 0\n2\n", 1, "at most");
  check_refused("aig 70000 0 0 1 70000\n2\n", 1, "at most");
  check_refused("aag 1 1 0 1 0\n", 1, "before an input");
  check_refused("aag 1 1 0 1 0\n2\n", 2, "before an output");
  check_refused("aag 1 1 0 1 0\n3\n2\n", 2, "cannot be driven");
  check_refused("aag 1 1 0 1 0\n0\n2\n", 2, "cannot be driven");
  check_refused("aag 1 1 0 1 0\n4\n2\n", 2, "at most 3");
  check_refused("aag 1 1 0 1 0\n2 2\n2\n", 2, "expected an input");
  check_refused("aag 1 1 0 1 0\n2\n-2\n", 3, "not a number");
  check_refused("aag 2 1 0 1 0\n2\n4\n", 1, "nothing drives net '4'");
  check_refused("aag 2 2 0 1 0\n2\n2\n2\n", 1, "'2' is driven a second time");
  check_refused("aag 2 1 0 1 1\n2\n2\n2 2 2\n", 4, "'2' is driven a second time");
  check_refused("aag 2 1 0 1 1\n2\n4\n4 4 2\n", 4, "depends on itself");
  check_refused("aag 3 1 0 1 2\n2\n4\n4 6 2\n6 4 2\n", 5, "depends on itself");
  check_refused("aag 2 1 0 1 1\n2\n4\n4 2\n", 4, "expected an AND");
  check_refused("aag 1 0 1 1 0\n2 3 3\n2\n", 2, "with itself");
  check_refused("aag 2 1 1 1 0\n4\n2 3 4\n2\n", 3, "with itself");
  check_refused("aag 1 0 1 1 0\n2\n2\n", 2, "expected a latch");
  check_refused("aig 2 1 0 1 1\n4\n", 2, "ends within AND 1 of 1");
  check_refused("aig 2 1 0 1 1\n4\n\x80", 2, "ends within");
  check_refused("aig 2 1 0 1 1\n4\n\x05", 2, "uses what comes behind it");
  check_refused(std::string("aig 2 1 0 1 1\n4\n\0\0", 18), 2, "uses what comes behind it");
  check_refused("aig 2 1 0 1 1\n4\n\x02\x03", 2, "uses what is not there");
  check_refused("aig 2 1 0 1 1\n4\n\xff\xff\xff\xff\xff\x01", 2, "2^32 or more");
  check_refused("aig 2 1 0 1 1\n4\n\xff\xff\xff\xff\x7f", 2, "2^32 or more");
}

TEST_CASE("altered AIGER files are refused or are circuits, but nothing else", "[circuit]") {
  const std::string text =
      "aag 7 2 1 2 4\n2\n4\n6 8 1\n7\n8\n8 4 2\n10 5 3\n12 9 11\n14 12 6\n"
      "i0 x[0]\ni1 x[1]\no0 y\no1 z\nl0 s\nc\nGenerated by Yosys 0.23\n";
  const std::size_t parsed = parse_altered({text}, parse_aiger, 4000);
  CHECK(parsed > 10);
  CHECK(parsed < 3000);
  const std::string binary = std::string("aig 6 3 0 4 3\n13\n5\n0\n1\n") + "\x04\x02" + "\x04\x03" +
                             "\x01\x02" + "i0 s\ni1 a\ni2 b\n";
  CHECK(parse_altered({binary}, parse_aiger, 4000) > 10);
}

TEST_CASE("long chains of AIGER are read in reasonable time", "[circuit]") {
  constexpr std::size_t kLength = 100000;
  std::string text = fmt::format("aag {} 1 0 1 {}\n2\n{}\n", kLength + 1, kLength, 2 * kLength + 3);
  for (std::size_t i = kLength; i-- > 0;) {
    text += fmt::format("{} {} {}\n", 2 * i + 4, 2 * i + 3, 2 * i + 3);
  }
  CHECK(evaluate_plain(parse(text).step(), {true}).size() == 1);
}

}  // namespace fhe::test
