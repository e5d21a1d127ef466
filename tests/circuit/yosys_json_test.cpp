// SPDX-License-Identifier: Apache-2.0
// JSON of Yosys: every cell that is read, against its definition; wrong files refused at their
// line.
#include "libfhe/circuit/yosys_json.hpp"

#include <functional>
#include <string>
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
  return parse_yosys_json(text, "circuit.json");
}

void check_refused(const std::string& text, std::size_t line, const std::string& what) {
  check_refused_at([&] { return parse(text); }, text, fmt::format("circuit.json:{}: ", line), what);
}

// A module on three lines: its ports, its cells, and its names of nets.
std::string module_of(const std::string& ports, const std::string& cells,
                      const std::string& names = "", const std::string& more = "") {
  return fmt::format(
      "{{\"creator\": \"by hand\", \"modules\": {{\"m\": {{{}\"ports\": {{\n{}}},\n"
      "\"cells\": {{{}}},\n\"netnames\": {{{}}}}}}}}}\n",
      more, ports, cells, names);
}

std::string port(const std::string& name, const std::string& direction, const std::string& bits) {
  return fmt::format(R"("{}": {{"direction": "{}", "bits": [{}]}})", name, direction, bits);
}

std::string cell(const std::string& type, const std::string& connections,
                 const std::string& parameters = "") {
  return fmt::format(R"("c": {{"type": "{}", "parameters": {{{}}}, "connections": {{{}}}}})", type,
                     parameters, connections);
}

// One gate whose inputs are the bits of port x, in this order, and whose output is y.
Netlist gate(const std::string& type, const std::string& letters) {
  std::string bits;
  std::string connections = R"("Y": [20])";
  for (std::size_t i = 0; i < letters.size(); ++i) {
    bits += fmt::format("{}{}", i == 0 ? "" : ", ", i + 2);
    connections += fmt::format(R"(, "{}": [{}])", letters[i], i + 2);
  }
  return parse(module_of(port("x", "input", bits) + "," + port("y", "output", "20"),
                         cell(type, connections)))
      .step();
}

// A flip-flop of inputs D, E, R that shows what it holds.
ClockedCircuit flip_flop(const std::string& type, const std::string& initial = "") {
  const std::string names =
      initial.empty()
          ? ""
          : fmt::format(R"("q": {{"bits": [9], "attributes": {{"init": {}}}}})", initial);
  return parse(module_of(port("d", "input", "2") + "," + port("e", "input", "3") + "," +
                             port("r", "input", "4") + "," + port("clk", "input", "5") + "," +
                             port("q", "output", "9"),
                         cell(type, R"("C": [5], "D": [2], "E": [3], "R": [4], "Q": [9])"), names));
}

// What a flip-flop takes next, from d, q, e and r, in all 16 cases.
void check_next(const std::string& type,
                const std::function<bool(bool d, bool q, bool e, bool r)>& next) {
  const ClockedCircuit circuit = flip_flop(type);
  REQUIRE(circuit.registers() == 1);
  for (unsigned m = 0; m < 16; ++m) {
    const bool d = (m & 1U) != 0;
    const bool q = (m & 2U) != 0;
    const bool e = (m & 4U) != 0;
    const bool r = (m & 8U) != 0;
    CAPTURE(type, d, q, e, r);
    std::vector<bool> inputs{d, e, r};
    if (circuit.inputs().size() == 4) inputs.push_back(true);  // the clock, which is an input here
    inputs.push_back(q);
    CHECK(evaluate_plain(circuit.step(), inputs) == std::vector<bool>{q, next(d, q, e, r)});
  }
}

const std::string kPorts = port("a", "input", "2") + "," + port("y", "output", "3");

}  // namespace

TEST_CASE("every simple gate of Yosys is read", "[circuit]") {
  struct Definition {
    std::string type;
    std::string letters;
    std::function<bool(bool a, bool b, bool c, bool d)> value;
  };
  const std::vector<Definition> definitions{
      {"$_BUF_", "A", [](bool a, bool, bool, bool) { return a; }},
      {"$_NOT_", "A", [](bool a, bool, bool, bool) { return !a; }},
      {"$_AND_", "AB", [](bool a, bool b, bool, bool) { return a && b; }},
      {"$_NAND_", "AB", [](bool a, bool b, bool, bool) { return !(a && b); }},
      {"$_OR_", "AB", [](bool a, bool b, bool, bool) { return a || b; }},
      {"$_NOR_", "AB", [](bool a, bool b, bool, bool) { return !(a || b); }},
      {"$_XOR_", "AB", [](bool a, bool b, bool, bool) { return a != b; }},
      {"$_XNOR_", "AB", [](bool a, bool b, bool, bool) { return a == b; }},
      {"$_ANDNOT_", "AB", [](bool a, bool b, bool, bool) { return a && !b; }},
      {"$_ORNOT_", "AB", [](bool a, bool b, bool, bool) { return a || !b; }},
      {"$_MUX_", "ABS", [](bool a, bool b, bool s, bool) { return s ? b : a; }},
      {"$_NMUX_", "ABS", [](bool a, bool b, bool s, bool) { return !(s ? b : a); }},
      {"$_AOI3_", "ABC", [](bool a, bool b, bool c, bool) { return !((a && b) || c); }},
      {"$_OAI3_", "ABC", [](bool a, bool b, bool c, bool) { return !((a || b) && c); }},
      {"$_AOI4_", "ABCD", [](bool a, bool b, bool c, bool d) { return !((a && b) || (c && d)); }},
      {"$_OAI4_", "ABCD", [](bool a, bool b, bool c, bool d) { return !((a || b) && (c || d)); }},
  };
  for (const Definition& definition : definitions) {
    CAPTURE(definition.type);
    const Netlist netlist = gate(definition.type, definition.letters);
    for (unsigned m = 0; m < 1U << definition.letters.size(); ++m) {
      std::vector<bool> x;
      for (std::size_t i = 0; i < definition.letters.size(); ++i) x.push_back((m >> i & 1U) != 0);
      const auto at = [&](unsigned i) { return (m >> i & 1U) != 0; };
      CHECK(evaluate_plain(netlist, x) ==
            std::vector<bool>{definition.value(at(0), at(1), at(2), at(3))});
    }
  }
}

TEST_CASE("tables of Yosys are read", "[circuit]") {
  const auto table = [](const std::string& bits, const std::string& rows) {
    return parse(module_of(port("x", "input", bits.empty() ? "19" : bits) + "," +
                               port("y", "output", "20"),
                           cell("$lut", fmt::format(R"("A": [{}], "Y": [20])", bits),
                                fmt::format(R"("LUT": {}, "WIDTH": 3)", rows))))
        .step();
  };
  for (unsigned function = 0; function < 256; ++function) {
    const Netlist text = table("2, 3, 4", fmt::format("\"{:08b}\"", function));
    const Netlist number = table("2, 3, 4", std::to_string(function));
    CHECK(text == number);
    for (unsigned m = 0; m < 8; ++m) {
      CHECK(evaluate_plain(text, {(m & 1U) != 0, (m & 2U) != 0, (m & 4U) != 0}) ==
            std::vector<bool>{(function >> m & 1U) != 0});
    }
  }
  for (unsigned value = 0; value < 2; ++value) {
    CHECK(evaluate_plain(table("", fmt::format("\"{}\"", value)), {false}) ==
          std::vector<bool>{value == 1});
    CHECK(evaluate_plain(table("2", fmt::format("\"x{}\"", value)), {false}) ==
          std::vector<bool>{value == 1});
  }
  const Netlist six = table("2, 3, 4, 5, 6, 7", "\"1" + std::string(62, '0') + "1\"");
  CHECK(evaluate_plain(six, std::vector<bool>(6, true)) == std::vector<bool>{true});
  CHECK(evaluate_plain(six, std::vector<bool>(6, false)) == std::vector<bool>{true});
  CHECK(evaluate_plain(six, {true, true, true, true, true, false}) == std::vector<bool>{false});
}

TEST_CASE("every flip-flop of Yosys is read", "[circuit]") {
  check_next("$_FF_", [](bool d, bool, bool, bool) { return d; });
  CHECK(flip_flop("$_FF_").inputs().size() == 4);  // its clock is none of the file's
  for (const char edge : {'P', 'N'}) {
    const std::string clock(1, edge);
    check_next("$_DFF_" + clock + "_", [](bool d, bool, bool, bool) { return d; });
    CHECK(flip_flop("$_DFF_" + clock + "_").inputs().size() == 3);
    for (const bool e_when : {true, false}) {
      const std::string enable(1, e_when ? 'P' : 'N');
      check_next("$_DFFE_" + clock + enable + "_",
                 [=](bool d, bool q, bool e, bool) { return e == e_when ? d : q; });
      for (const bool r_when : {true, false}) {
        for (const bool value : {true, false}) {
          const std::string reset = std::string(1, r_when ? 'P' : 'N') + (value ? '1' : '0');
          check_next("$_SDFF_" + clock + reset + "_",
                     [=](bool d, bool, bool, bool r) { return r == r_when ? value : d; });
          check_next("$_SDFFE_" + clock + reset + enable + "_",
                     [=](bool d, bool q, bool e, bool r) {
                       return r == r_when ? value : (e == e_when ? d : q);
                     });
          check_next("$_SDFFCE_" + clock + reset + enable + "_",
                     [=](bool d, bool q, bool e, bool r) {
                       return e == e_when ? (r == r_when ? value : d) : q;
                     });
        }
      }
    }
  }
}

TEST_CASE("registers of Yosys start with the attribute init", "[circuit]") {
  const auto initial = [](const std::string& text) {
    return flip_flop("$_DFF_P_", text).initial();
  };
  CHECK(initial("") == std::vector<bool>{false});
  CHECK(initial("\"0\"") == std::vector<bool>{false});
  CHECK(initial("\"1\"") == std::vector<bool>{true});
  CHECK(initial("\"x\"") == std::vector<bool>{false});
  CHECK(initial("1") == std::vector<bool>{true});
  const std::string ports = port("d", "input", "2, 3") + "," + port("q", "output", "4, 5");
  const std::string cells = R"("f": {"type": "$_FF_", "connections": {"D": [2], "Q": [4]}},)"
                            R"("g": {"type": "$_FF_", "connections": {"D": [3], "Q": [5]}})";
  const std::string word = R"("q": {"bits": [4, 5], "attributes": {"init": "10"}})";
  CHECK(parse(module_of(ports, cells, word)).initial() == std::vector<bool>{false, true});
  // Another name for one of them says the same, or nothing.
  const auto twice = [&](const std::string& value) {
    return module_of(ports, cells,
                     word + R"(,"r": {"attributes": {"init": ")" + value + R"("}, "bits": [5]})");
  };
  CHECK(parse(twice("1")).initial() == std::vector<bool>{false, true});
  CHECK(parse(twice("x")).initial() == std::vector<bool>{false, true});
  check_refused(twice("0"), 4, "another value than under another name");
}

TEST_CASE("modules, ports and constants of Yosys are read as they are meant", "[circuit]") {
  // Bits are in their order, whatever else a port says; x is 0.
  const Netlist netlist =
      parse(module_of(R"("a": {"bits": [7, 2], "upto": 1, "offset": -3, "direction": "input"},)" +
                          port("y", "output", R"(2, 7, "1", "0", "x", 2)"),
                      ""))
          .step();
  CHECK(netlist.inputs()[0].width == 2);
  CHECK(evaluate_plain(netlist, {true, false}) ==
        std::vector<bool>{false, true, true, false, false, false});
  const std::string not_top =
      R"({"modules": {"lib": {"ports": {}, "cells": {"c": {"type": "$add"}}}, "m": )"
      R"({"attributes": {"top": "0001"}, "ports": {"y": {"direction": "output", "bits": ["1"]}}}}})";
  CHECK(parse(not_top).outputs().size() == 1);
  // Notes about scopes are no cells.
  CHECK_NOTHROW(parse(module_of(
      kPorts, cell("$_NOT_", R"("A": [2], "Y": [3])") + R"(, "s": {"type": "$scopeinfo"})")));
  // Escapes in names of cells; keys in another order.
  CHECK_NOTHROW(parse(
      module_of(kPorts, R"("\u0041\"": {"connections": {"Y": [3], "A": [2]}, "type": "$_NOT_"})")));
}

TEST_CASE("JSON files that are wrong are refused at their line", "[circuit]") {
  const auto with_cell = [](const std::string& type, const std::string& connections,
                            const std::string& parameters = "") {
    return module_of(kPorts, cell(type, connections, parameters));
  };
  const std::string inverter = cell("$_NOT_", R"("A": [2], "Y": [3])");
  check_refused("", 1, "no JSON");
  check_refused("{\n\"modules\": {\n", 3, "no JSON");
  check_refused("{}\n{}", 2, "no JSON");
  check_refused("[]", 1, "not of Yosys");
  check_refused("{\"modules\": 3}", 1, "not of Yosys");
  check_refused("{\"modules\": {\"a\": {},\n\"b\": {}}}", 2, "2 modules, of which 0 are the top");
  check_refused(
      R"({"modules": {"a": {"attributes": {"top": 1}}, "b": {"attributes": {"top": 1}}}})", 1,
      "of which 2 are the top");
  check_refused("{\"modules\": {\"m\": {\"ports\": {}}}}", 1, "no outputs");
  check_refused(module_of(port("a", "inout", "2"), ""), 2, "neither an input nor an output");
  check_refused(module_of(port("y", "output", ""), ""), 2, "no bits");
  check_refused(module_of(port("y", "output", "2"), ""), 2, "nothing drives net '2'");
  check_refused(module_of(kPorts + "," + port("a", "input", "4"), inverter), 2, "two ports called");
  check_refused(module_of(kPorts + "," + port("", "input", "4"), inverter), 2, "no name");
  check_refused(module_of(kPorts + "," + port("b c", "input", "4"), inverter), 2, "blanks");
  check_refused(module_of(kPorts + "," + port("\\u001b[m", "input", "4"), inverter), 2,
                "beyond printable");
  check_refused(module_of(kPorts + "," + port("b", "input", "2"), inverter), 2, "a second time");
  check_refused(module_of(kPorts + "," + port("b", "input", "\"1\""), inverter), 2,
                "has a constant among its bits");
  for (const std::string bit : {"-1", "1.5", "true", "null", "\"z\"", "[4]", "{}",
                                "18446744073709551616", "18446744073709551615"}) {
    check_refused(module_of(kPorts + "," + port("b", "input", bit), inverter), 2,
                  "a bit is the number of a net");
    check_refused(
        module_of(kPorts, inverter + R"(,"d": {"type": "$_NOT_", "connections": {"A": [)" + bit +
                              R"(], "Y": [9]}})"),
        3, "a bit is the number of a net");
  }
  check_refused(with_cell("$add", ""), 3, "synth -flatten");
  check_refused(with_cell("other_module", R"("A": [2], "Y": [3])"), 3, "neither a simple gate");
  check_refused(with_cell("$_TBUF_", ""), 3, "neither a simple gate");
  check_refused(with_cell("$dff", ""), 3, "neither a simple gate");
  for (const std::string latch : {"$_DLATCH_P_", "$_DFF_PP0_", "$_DFFE_PP0P_", "$_ALDFF_PP_",
                                  "$_DFFSR_PPP_", "$_SR_PP_", "$_DFF_X_", "$_SDFF_PPX_"}) {
    check_refused(with_cell(latch, ""), 3, "async2sync");
  }
  check_refused(with_cell("$_NOT_", R"("A": [2])"), 3, "1 bits at its port Y");
  check_refused(with_cell("$_NOT_", R"("A": [2, 2], "Y": [3])"), 3, "1 bits at its port A");
  check_refused(with_cell("$_NOT_", R"("A": [2], "A": [2], "Y": [3])"), 3, "not one list");
  check_refused(with_cell("$_NOT_", R"("A": [3], "Y": [3])"), 3, "depends on itself");
  check_refused(with_cell("$_NOT_", R"("A": [2], "Y": ["0"])"), 3, "second time");
  check_refused(with_cell("$lut", R"("A": [2, 2, 2, 2, 2, 2, 2], "Y": [3])"), 3, "7 inputs");
  check_refused(with_cell("$lut", R"("A": [2, 2], "Y": [3])", R"("LUT": "101")"), 3, "3 rows");
  check_refused(with_cell("$lut", R"("Y": [3])", R"("LUT": "1")"), 3, "port A");
  check_refused(with_cell("$_DFF_P_", R"("C": [3], "D": [2], "Q": [3])"), 3, "no input of one bit");
  check_refused(with_cell("$_DFF_P_", R"("C": [2], "D": [2], "Q": [3])"), 3, "another use");
  check_refused(with_cell("$_DFF_P_", R"("D": [2], "Q": [3])"), 3, "port C");
  check_refused(with_cell("$_DFFE_PP_", R"("C": [2], "D": ["1"], "Q": [3])"), 3, "port E");
  std::string deep = "{\"modules\": {\"m\": ";
  for (int i = 0; i < 100; ++i) deep += "[";
  check_refused(deep, 1, "within 64 others");
  CHECK_THROWS_MATCHES(parse(std::string(1 << 20, '[')), Error,
                       HasCode(ErrorCode::malformed_file, "within 64 others"));
}

TEST_CASE("altered JSON files are refused or are circuits, but nothing else", "[circuit]") {
  const std::string text =
      module_of(kPorts + "," + port("c", "input", "9"),
                R"("n": {"type": "$_NOT_", "connections": {"A": [2], "Y": [4]}},)"
                R"("f": {"type": "$_SDFFE_PP0P_", "connections": )"
                R"({"C": [9], "D": [4], "E": [2], "R": ["0"], "Q": [3]}})",
                R"("q": {"bits": [3], "attributes": {"init": "1"}})");
  const std::size_t parsed = parse_altered({text}, parse_yosys_json, 4000);
  CHECK(parsed > 10);
  CHECK(parsed < 3500);
}

}  // namespace fhe::test
