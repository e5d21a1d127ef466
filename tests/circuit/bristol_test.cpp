// SPDX-License-Identifier: Apache-2.0
// Bristol Fashion and the older Bristol format: right files are read, wrong ones refused at their
// line.
#include "libfhe/circuit/bristol.hpp"

#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "libfhe/circuit/netlist_files.hpp"
#include "tests/catch.hpp"
#include "tests/support/altered_circuits.hpp"
#include "tests/support/circuits.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/operands.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

namespace {

Netlist parse(const std::string& text) {
  return parse_bristol(text, "circuit.txt");
}

std::string text_of(const std::string& sample) {
  const auto bytes = read_file(std::filesystem::path(FHE_TEST_DATA_DIR) / sample);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void check_refused(const std::string& text, std::size_t line, const std::string& what) {
  check_refused_at([&] { return parse(text); }, text, fmt::format("circuit.txt:{}: ", line), what);
}

// An adder of two bits in the layout of the published files.
const std::string kAdder =
    "5 9\n"
    "2 2 2\n"
    "1 2\n"
    "\n"
    "2 1 0 2 7 XOR\n"
    "2 1 0 2 4 AND\n"
    "2 1 1 3 5 XOR\n"
    "1 1 5 6 EQW\n"
    "2 1 4 6 8 XOR\n";

const std::string kOldAdder =
    "4 8\n"
    "2 2   2\n"
    "\n"
    "2 1 0 2 6 XOR\n"
    "2 1 0 2 4 AND\n"
    "2 1 1 3 5 XOR\n"
    "2 1 4 5 7 XOR\n"
    "\n";

void check_adds_two_bits(const Netlist& adder) {
  CHECK(adder.inputs() == std::vector<InputWord>{{"in0", 2}, {"in1", 2}});
  REQUIRE(adder.outputs().size() == 1);
  CHECK(adder.outputs()[0].name == "out0");
  for (unsigned x = 0; x < 16; ++x) {
    CHECK(number_of(evaluate_plain(adder, bits_of(x, 4))) == (x % 4 + x / 4) % 4);
  }
}

}  // namespace

TEST_CASE("Bristol Fashion is read", "[circuit]") {
  check_adds_two_bits(parse(kAdder));
  std::string carriage_returns;
  for (const char c : kAdder)
    carriage_returns += c == '\n' ? std::string("\r\n") : std::string(1, c);
  check_adds_two_bits(parse(carriage_returns));
  check_adds_two_bits(parse(kAdder.substr(0, kAdder.size() - 1)));
  check_adds_two_bits(parse(kAdder + "\n\n"));
}

TEST_CASE("Bristol Fashion with other blanks and words of several widths is read", "[circuit]") {
  check_adds_two_bits(
      parse("\n 5\t9 \n2 2 2 \n\n1 2  \n\n\n2 1 0 2 7 XOR \n2 1 0 2 4 AND\n\n2 1 1 3 5 XOR\n"
            "1  1 5 6\tEQW\n2 1 4 6 8 XOR\n \n"));
  const Netlist select = parse("2 6\n3 1 2 1\n2 1 1\n\n2 1 0 3 4 AND\n2 1 1 2 5 XOR\n");
  CHECK(select.inputs() == std::vector<InputWord>{{"in0", 1}, {"in1", 2}, {"in2", 1}});
  CHECK(select.outputs() == std::vector<OutputWord>{{"out0", {4}}, {"out1", {5}}});
}

TEST_CASE("the older Bristol format is read", "[circuit]") {
  check_adds_two_bits(parse(kOldAdder));
  const Netlist one_input = parse("1 3\n2 0 1\n\n2 1 0 1 2 AND\n");
  CHECK(one_input.inputs() == std::vector<InputWord>{{"in0", 2}});
}

TEST_CASE("the extended gates of Bristol Fashion are read", "[circuit]") {
  const Netlist netlist = parse(
      "5 10\n1 4\n3 1 1 3\n\n"
      "4 2 0 1 2 3 4 5 MAND\n"
      "1 1 1 6 EQ\n"
      "3 1 0 1 2 7 MUX\n"
      "1 1 6 8 INV\n"
      "2 1 0 1 9 NOR\n");
  CHECK(netlist.outputs().size() == 3);
  CHECK(netlist.wires() == 10);
  for (unsigned m = 0; m < 16; ++m) {
    const auto x = bits_of(m, 4);
    CHECK(evaluate_plain(netlist, x) ==
          std::vector<bool>{x[1] && x[3], true, x[0] ? x[1] : x[2], false, !x[0] && !x[1]});
  }
}

TEST_CASE("what is written can be read and is the same function", "[circuit]") {
  Operands random(3);
  for (const Netlist& netlist :
       {adder_circuit(64), comparator_circuit(32), multiplier_circuit(16, Prefer::low_depth)}) {
    const Netlist again = parse(to_bristol(netlist));
    CHECK(costs(again).products == costs(netlist).products);
    CHECK(costs(again).and_depth == costs(netlist).and_depth);
    for (int i = 0; i < 20; ++i) {
      std::vector<bool> inputs;
      while (inputs.size() < netlist.input_bits()) inputs.push_back(random.coin());
      CHECK(evaluate_plain(again, inputs) == evaluate_plain(netlist, inputs));
    }
  }
  CHECK(to_bristol(adder_circuit(64)).find("\n2 64 64\n1 64\n\n2 1 ") != std::string::npos);
}

TEST_CASE("an output may be an input, a constant or another output", "[circuit]") {
  const Netlist odd({{"x", 2}}, {{GateKind::constant_1, {}}}, {{"a", {1, 1}}, {"b", {2, 0}}});
  const Netlist again = parse(to_bristol(odd));
  CHECK(evaluate_plain(again, {false, true}) == std::vector<bool>{true, true, true, false});
}

TEST_CASE("Bristol files that are cut off are refused at the end", "[circuit]") {
  check_refused("", 0, "the file ends before");
  check_refused("1 3\n", 1, "the file ends before");
  check_refused("5 9\n2 2 2\n", 2, "before gate 1 of 5");
  check_refused(kAdder.substr(0, kAdder.find("2 1 4 6")), 8, "before gate 5 of 5");
  check_refused("5 9\n2 2 2\n1 2\n\n", 4, "before gate 1 of 5");
  for (std::size_t size = 0; size + 1 < kAdder.size(); ++size) {
    CAPTURE(size);
    CHECK_THROWS_AS(parse(kAdder.substr(0, size)), Error);
  }
}

TEST_CASE("Bristol headers whose counts do not match are refused", "[circuit]") {
  check_refused("5 9 1\n2 2 2\n1 2\n", 1, "two numbers");
  check_refused("x 9\n2 2 2\n1 2\n", 1, "'x', not a number");
  check_refused("-5 9\n2 2 2\n1 2\n", 1, "not a number");
  check_refused("5 9\n2 2 2 2\n1 2\n", 2, "2 input words and 3 widths");
  check_refused("5 9\n2 2 2\n2 2\n", 3, "2 output words and 1 widths");
  check_refused("5 9\n2 2 0\n1 2\n", 2, "no bits");
  check_refused("5 9\n2 5 5\n1 2\n", 1, "too few for words of 10 bits");
  check_refused("0 4\n1 4\n0\n\n", 1, "no outputs");
  check_refused("0 4\n1 3\n1 1\n\n", 1, "nothing drives wire 3");
}

TEST_CASE("a Bristol file without wires has none to use or to drive", "[circuit]") {
  const std::string hostile = text_of("hostile/circuit/zero-wires.txt");
  CHECK(hostile == "1 0\n0\n0\n1 1 1 7 EQ\n");
  check_refused(hostile, 1, "no outputs");
  check_refused("1 0\n0\n1 0\n1 1 1 7 EQ\n", 3, "an output word of no bits");
  check_refused("1 0\n0\n1 1\n1 1 1 7 EQ\n", 3, "the width of an output is 1");
  check_refused("1 0\n1 1\n1 1\n1 1 7 0 INV\n", 2, "the width of an input is 1");
  check_refused("1 0\n0 0 0\n1 1 1 7 EQ\n", 1, "no outputs");
  check_refused("1 0\n0 0 1\n\n2 1 7 8 9 AND\n", 2, "the width of the output is 1");
}

TEST_CASE("the counts of a Bristol file are held against each other", "[circuit]") {
  check_refused("2 3\n1 2\n1 1\n2 1 0 1 2 AND\n2 1 0 1 2 AND\n", 1, "2 gates, and 1 wires");
  check_refused("1 2\n1 2\n1 1\n2 1 0 1 2 AND\n", 1, "1 gates, and 0 wires");
  check_refused("1 3\n2 2 2\n1 1\n2 1 0 1 2 AND\n", 1, "too few for words of 4 bits");
  check_refused("1 3\n1 2\n2 2 2\n2 1 0 1 2 AND\n", 1, "too few for words of 4 bits");
  const Netlist identity = parse("0 2\n1 2\n1 2\n");
  CHECK(evaluate_plain(identity, {true, false}) == std::vector<bool>{true, false});
}

TEST_CASE("Bristol files with giant numbers are refused before memory is taken", "[circuit]") {
  check_refused("99999999999999999999999 9\n2 2 2\n1 2\n", 1, "at most");
  check_refused("1000000000 9\n2 2 2\n1 2\n", 1, "the number of gates");
  check_refused("5 4000000000\n2 2 2\n1 2\n", 1, "the number of wires");
  check_refused("5 9\n2 2 4000000000\n1 2\n", 2, "the width of an input");
  check_refused("5 9\n4000000000 2 2\n1 2\n", 2, "the number of input words");
  check_refused("1 3\n1 2\n1 1\n\n18446744073709551615 2 0 1 2 AND\n", 5, "at most");
  check_refused("1 3\n1 2\n1 1\n\n2 1 0 4294967297 2 AND\n", 5, "a wire");
}

TEST_CASE("Bristol gates that are wrong are refused at their line", "[circuit]") {
  const std::string header = "2 4\n1 2\n1 1\n\n";
  check_refused(header + "2 1 0 1 2 AND\n2 1 0 1 2 XOR\n", 6, "wire 2 is driven a second time");
  check_refused(header + "2 1 0 1 1 AND\n2 1 0 1 2 XOR\n", 5, "wire 1 is driven a second time");
  check_refused(header + "2 1 0 3 2 AND\n2 1 0 2 3 XOR\n", 5, "wire 3 is used before");
  check_refused(header + "2 1 0 2 2 AND\n2 1 0 2 3 XOR\n", 5, "wire 2 is used before");
  check_refused(header + "2 1 0 4 2 AND\n2 1 0 2 3 XOR\n", 5, "a wire is 4");
  check_refused(header + "2 1 0 1 2 FOO\n2 1 0 2 3 XOR\n", 5, "no gate is called 'FOO'");
  check_refused(header + "2 1 0 1 2 AADD\n2 1 0 2 3 AMUL\n", 5, "no gate is called 'AADD'");
  check_refused(header + "2 1 0 1 2\n2 1 0 2 3 XOR\n", 5, "no gate is called '2'");
  check_refused(header + "1 1 0 2 AND\n2 1 0 2 3 XOR\n", 5, "AND with 1 inputs");
  check_refused(header + "2 1 0 1 2 INV\n2 1 0 2 3 XOR\n", 5, "INV with 2 inputs");
  check_refused(header + "2 2 0 1 2 AND\n2 1 0 2 3 XOR\n", 5, "2 inputs and 2 outputs with 3");
  check_refused(header + "1 1 2 2 EQ\n2 1 0 2 3 XOR\n", 5, "the constant of EQ");
  check_refused(header + "3 1 0 1 0 2 MAND\n2 1 0 2 3 XOR\n", 5, "MAND with 3 inputs");
  check_refused(header + "0 0 MAND x x\n", 5, "no gate is called");
  check_refused(header + "0 0 0 MAND\n2 1 0 2 3 XOR\n", 5, "0 inputs and 0 outputs with 1");
  check_refused(header + "AND\n2 1 0 2 3 XOR\n", 5, "without wires");
  check_refused(header + "2 1 0 1 2 AND\n2 1 0 2 3 XOR\n2 1 0 2 3 XOR\n", 7, "more after the 2");
  check_refused("1 4\n1 2\n1 1\n\n2 1 0 1 3 AND\n", 1, "nothing drives wire 2");
  check_refused(header + "2 1 0 1 2 \x01\x1b[0m\n", 5, "'?");
}

TEST_CASE("altered Bristol files are refused or are circuits, but nothing else", "[circuit]") {
  const std::string extended =
      "4 8\n1 4\n2 1 3\n\n4 2 0 1 2 3 4 5 MAND\n3 1 0 1 2 6 MUX\n2 1 6 4 7 NOR\n";
  const std::size_t parsed = parse_altered(
      {kAdder, kOldAdder, extended, "1 1\n0\n1 1\n1 1 1 0 EQ\n"}, parse_bristol, 4000);
  CHECK(parsed > 10);
  CHECK(parsed < 3000);
}

TEST_CASE("Bristol files are read and written in time and memory that grow with their size",
          "[circuit]") {
  // Every number may be as large as the text allows, and no larger.
  const std::string most = "0 65550\n1 65550\n1 1\n";
  CHECK(parse(most).input_bits() == 65550);
  check_refused("0 65600\n1 65600\n1 1\n", 1, "the number of wires is 65600");
  check_refused("1000 1100\n1 2\n1 1\n", 1, "the number of gates is 1000");
  CHECK_THROWS_MATCHES(parse_bristol({most.data(), std::size_t{1} << 32}, "big"), Error,
                       HasCode(ErrorCode::malformed_file, "big:0: "));
}

TEST_CASE("circuit files are loaded and saved by name", "[circuit]") {
  const TemporaryDirectory directory;
  save_bristol(directory / "adder.txt", adder_circuit(8));
  CHECK(costs(load_netlist(directory / "adder.txt")).products == 7);
  CHECK(directory.size() == 1);
  CHECK_THROWS_MATCHES(load_netlist(directory / "none.txt"), Error,
                       HasCode(ErrorCode::io, "none.txt"));
  CHECK_THROWS_MATCHES(load_netlist(directory.path()), Error, HasCode(ErrorCode::io));
  CHECK_THROWS_MATCHES(load_netlist(directory / "adder.txt", {100}), Error,
                       HasCode(ErrorCode::invalid_argument, "max_file_bytes"));
  std::filesystem::rename(directory / "adder.txt", directory / "adder.blif");
  CHECK_THROWS_MATCHES(load_netlist(directory / "adder.blif"), Error,
                       HasCode(ErrorCode::malformed_file, "adder.blif:1: "));
}

TEST_CASE("files of other formats are refused with what makes a circuit of them", "[circuit]") {
  const TemporaryDirectory directory;
  const auto refused = [&](const std::string& name, const std::string& text,
                           const std::string& what) {
    CAPTURE(name, text);
    std::istringstream stream(text);
    CHECK_THROWS_MATCHES(load_circuit({stream, "a pipe"}), Error,
                         HasCode(ErrorCode::malformed_file, what));
    const auto view = std::as_bytes(std::span(text));
    const std::vector<std::byte> bytes(view.begin(), view.end());
    write_file(directory / "unknown", bytes);
    CHECK_THROWS_MATCHES(load_circuit(directory / "unknown"), Error,
                         HasCode(ErrorCode::malformed_file, what));
    write_file(directory / name, bytes);
    CHECK_THROWS_MATCHES(load_circuit(directory / name), Error,
                         HasCode(ErrorCode::malformed_file, what));
  };
  const std::string bench = "# s27\n\nINPUT(G0)\nOUTPUT(G17)\nG17 = NOT(G0)\n";
  refused("s27.bench", bench, "read_bench");
  refused("s27.bench", "input (a)\n", "read_bench");
  refused("f.eqn", "# by hand\nINORDER = a b;\nOUTORDER = y;\ny = a * b;\n", "read_eqn");
  refused("f.pla", ".i 2\n.o 1\n11 1\n.e\n", "read_pla");
  refused("f.pla", "# a table\n.type fd\n.i 2\n.o 1\n", "read_pla");
  refused("f.kiss2", "\n.i 2\n.o 1\n.p 1\n.s 2\n-- a b 1\n", "KISS2");
  refused("f.blif", "\x1f\x8b\x08 and so on", "gzip -d -c");
  refused("f.blif", std::string("\xff\xfe.\0m\0o\0", 8), "iconv -f UTF-16");
  refused("f.bench", "\xfe\xff and so on", "iconv -f UTF-16");
  refused("f.edf", "(edif top\n (edifVersion 2 0 0))\n", "is EDIF");
  refused("f.edn", "(EDIF top)\n", "is EDIF");
  refused("f.net", "////\n// Created by: Synopsys DC\n\nmodule m (x);\n", "read_liberty");
  refused("f.v", "module m (x);\n", "read_verilog");
  refused("f.json", "{\n \"cells\": []\n}\n", "not of Yosys");
  refused("f.json", "[1]\n", "not of Yosys");
  refused("f.dot", "digraph {\n}\n", "begins with 'digraph {'");
  CHECK_THROWS_MATCHES(
      load_circuit(directory / "s27.bench"), Error,
      HasCode(ErrorCode::malformed_file, "write_blif " + (directory / "s27.blif").string() + "\""));
}

TEST_CASE("circuits of every format come from bytes and streams without a name", "[circuit]") {
  const ClockedCircuit named = load_circuit(FHE_TEST_DATA_DIR "/circuits/counter.blif");
  for (const std::string ending : {"blif", "json", "aag", "aig"}) {
    CAPTURE(ending);
    const std::vector<std::byte> bytes = read_file(FHE_TEST_DATA_DIR "/circuits/counter." + ending);
    std::istringstream stream({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    const ClockedCircuit streamed = load_circuit({stream, "a pipe"});
    CHECK(streamed.registers() == named.registers());
    CHECK(streamed.outputs().size() == named.outputs().size());
    const ClockedCircuit kept = load_circuit(bytes);
    CHECK(to_bristol(kept.step()) == to_bristol(streamed.step()));
    std::vector<std::byte> marked{std::byte{0xef}, std::byte{0xbb}, std::byte{0xbf}};
    marked.insert(marked.end(), bytes.begin(), bytes.end());
    CHECK(to_bristol(load_circuit(marked).step()) == to_bristol(streamed.step()));
  }
  const std::string adder = to_bristol(adder_circuit(8));
  CHECK(to_bristol(load_netlist(std::as_bytes(std::span(adder)))) == adder);
  const std::string remark =
      "# a BLIF file\n \n# of one gate\n.model m\n.inputs a\n.outputs y\n"
      ".names a y\n0 1\n.end\n";
  CHECK(load_netlist(std::as_bytes(std::span(remark))).outputs().size() == 1);

  const auto refused = [](const std::string& text, ErrorCode code, const std::string& part,
                          const CircuitLimits& limits = {}) {
    std::istringstream stream(text);
    CHECK_THROWS_MATCHES(load_circuit({stream, "a pipe"}, limits), Error, HasCode(code, part));
  };
  refused("", ErrorCode::malformed_file, "a pipe");
  refused("# nothing but this", ErrorCode::malformed_file, "a pipe");
  refused("\xef\xbb\xbf", ErrorCode::malformed_file, "a pipe");
  refused(".model m\n.inputs a\n.outputs", ErrorCode::malformed_file, "a pipe:3");
  refused(adder, ErrorCode::invalid_argument, "max_file_bytes", {adder.size() - 1});
  std::istringstream whole(adder);
  CHECK(load_circuit({whole, "a pipe"}, {adder.size()}).outputs().size() == 1);
}

TEST_CASE("a circuit of several pieces comes through a stream whole", "[circuit]") {
  const std::string text = to_bristol(adder_circuit(16384));
  REQUIRE(text.size() > std::size_t{1} << 20);
  std::istringstream stream(text);
  CHECK(to_bristol(load_netlist({stream, "a pipe"})) == text);
}

}  // namespace fhe::test
