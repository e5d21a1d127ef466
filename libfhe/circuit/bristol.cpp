// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/bristol.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "libfhe/circuit/builder.hpp"
#include "libfhe/circuit/text_lines.hpp"
#include "libfhe/memory_errors.hpp"

namespace fhe {

namespace {

constexpr Wire kUndriven = std::numeric_limits<Wire>::max();

// Input wires that a file of any size may declare without using them.
constexpr std::size_t kFreeWires = 1 << 16;

struct NamedKind {
  std::string_view name;
  GateKind kind;
};

constexpr std::array kNamedKinds{
    NamedKind{"XOR", GateKind::xor_gate},  NamedKind{"AND", GateKind::and_gate},
    NamedKind{"INV", GateKind::not_gate},  NamedKind{"NOT", GateKind::not_gate},
    NamedKind{"EQW", GateKind::copy},      NamedKind{"XNOR", GateKind::xnor_gate},
    NamedKind{"OR", GateKind::or_gate},    NamedKind{"NAND", GateKind::nand_gate},
    NamedKind{"NOR", GateKind::nor_gate},  NamedKind{"MUX", GateKind::mux_gate},
    NamedKind{"EQ", GateKind::constant_0},  // or 1: its input says
    NamedKind{"MAND", GateKind::and_gate},  // several of them
};

const NamedKind* kind_named(std::string_view name) {
  const auto* const found = std::ranges::find(kNamedKinds, name, &NamedKind::name);
  return found == kNamedKinds.end() ? nullptr : found;
}

bool is_number(std::string_view word) {
  return std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

class BristolParser {
 public:
  BristolParser(std::string_view text, const std::string& name)
      : lines_(text, name, false),
        // A driven or used wire takes two bytes at least.
        max_wires_(std::min(text.size() + kFreeWires, kMaxWires - 1)),
        wires_(lines_, "a wire") {}

  Netlist parse() {
    read_header();
    for (std::size_t i = 0; i < gate_lines_; ++i) {
      if (i > 0 || !has_line_) require_line(fmt::format("gate {} of {}", i + 1, gate_lines_));
      read_gate();
    }
    if ((gate_lines_ == 0 && has_line_) || lines_.next(line_)) {
      throw malformed(
          fmt::format("there is more after the {} gates of the first line", gate_lines_));
    }
    return finish();
  }

 private:
  [[nodiscard]] Error malformed(const std::string& what) const {
    return lines_.malformed(line_.number, what);
  }

  void require_line(const std::string& what) {
    if (lines_.next(line_)) return;
    throw lines_.malformed(lines_.number(), fmt::format("the file ends before {}", what));
  }

  [[nodiscard]] std::size_t number(std::size_t index, std::size_t max,
                                   std::string_view what) const {
    return lines_.number_in(word(index), line_.number, max, what);
  }

  [[nodiscard]] std::string_view word(std::size_t index) const { return lines_.word(line_, index); }

  [[nodiscard]] Error malformed_header(const std::string& what) const {
    return lines_.malformed(header_line_, what);
  }

  void read_header() {
    require_line("the numbers of gates and wires");
    if (line_.words.size() != 2) throw malformed("the first line holds two numbers: gates, wires");
    gate_lines_ = number(0, lines_.bytes(), "the number of gates");
    declared_ = number(1, max_wires_, "the number of wires");
    header_line_ = line_.number;
    require_line("the widths of the inputs");
    const TextLine second = line_;
    has_line_ = lines_.next(line_);
    const bool fashion = has_line_ && std::ranges::all_of(line_.words, is_number);
    if (fashion) {
      const TextLine third = std::exchange(line_, second);
      inputs_ = read_widths("input");
      line_ = third;
      outputs_ = read_widths("output");
      has_line_ = false;
    } else {
      const TextLine gate = std::exchange(line_, second);
      read_old_widths();
      line_ = gate;
    }
    check_counts();
    drive_inputs();
  }

  // "<count> <width> ...": the widths.
  std::vector<std::size_t> read_widths(std::string_view what) {
    const std::size_t count =
        number(0, line_.words.size(), fmt::format("the number of {} words", what));
    if (count + 1 != line_.words.size()) {
      throw malformed(
          fmt::format("{} {} words and {} widths", count, what, line_.words.size() - 1));
    }
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < count; ++i) {
      widths.push_back(number(i + 1, declared_, fmt::format("the width of an {}", what)));
      if (widths.back() == 0) throw malformed(fmt::format("an {} word of no bits", what));
    }
    return widths;
  }

  // The older format: "<width of input 1> <width of input 2> <width of the output>".
  void read_old_widths() {
    if (line_.words.size() != 3) {
      throw malformed(
          "expected the numbers of input words and of output words, each with its "
          "widths, or the three widths of the older format");
    }
    for (std::size_t i = 0; i < 2; ++i) {
      const std::size_t width = number(i, declared_, "the width of an input");
      if (width > 0) inputs_.push_back(width);
    }
    outputs_ = {number(2, declared_, "the width of the output")};
  }

  // The bits of these words together, which are wires.
  [[nodiscard]] std::size_t total_bits(const std::vector<std::size_t>& widths) const {
    std::size_t bits = 0;
    for (const std::size_t width : widths) {
      bits += width;
      if (bits <= declared_) continue;
      throw malformed_header(
          fmt::format("{} wires are too few for words of {} bits", declared_, bits));
    }
    return bits;
  }

  // Before any memory is taken for them. An output may be an input.
  void check_counts() {
    input_bits_ = total_bits(inputs_);
    output_bits_ = total_bits(outputs_);
    if (output_bits_ == 0) throw malformed_header("the circuit has no outputs");
    if (gate_lines_ <= declared_ - input_bits_) return;
    throw malformed_header(
        fmt::format("{} gates, and {} wires that are no inputs for them to drive", gate_lines_,
                    declared_ - input_bits_));
  }

  void drive_inputs() {
    std::vector<Wire> wires(declared_, kUndriven);
    for (; next_ < input_bits_; ++next_) wires[next_] = next_;
    wires_.assign(std::move(wires));
  }

  [[nodiscard]] Wire used(std::size_t index) {
    const Wire wire = wires_.at(word(index), line_.number);
    if (wire != kUndriven) return wire;
    throw malformed(fmt::format("wire {} is used before a line drives it", shown(word(index))));
  }

  void drive(std::size_t index, const Gate& gate) {
    Wire& wire = wires_.at(word(index), line_.number);
    if (wire != kUndriven) {
      throw malformed(fmt::format("wire {} is driven a second time", shown(word(index))));
    }
    wire = next_++;
    gates_.push_back(gate);
  }

  void read_gate() {
    const NamedKind* const named = kind_named(line_.words.back());
    if (named == nullptr) {
      throw malformed(fmt::format("no gate is called '{}'", shown(line_.words.back())));
    }
    if (line_.words.size() < 4) throw malformed("a gate without wires");
    const std::size_t inputs = number(0, line_.words.size(), "the number of a gate's inputs");
    const std::size_t outputs = number(1, line_.words.size(), "the number of a gate's outputs");
    if (inputs + outputs + 3 != line_.words.size()) {
      throw malformed(fmt::format("{} inputs and {} outputs with {} wires", inputs, outputs,
                                  line_.words.size() - 3));
    }
    if (named->name == "EQ") {
      require_arity(*named, inputs, outputs, 1, 1);
      const bool one = number(2, 1, "the constant of EQ") == 1;
      drive(3, {one ? GateKind::constant_1 : GateKind::constant_0, {}});
    } else if (named->name == "MAND") {
      require_arity(*named, inputs, outputs, 2 * outputs, outputs);
      read_many_ands(outputs);
    } else {
      require_arity(*named, inputs, outputs, gate_inputs(named->kind), 1);
      Gate gate{named->kind, {}};
      for (std::size_t k = 0; k < inputs; ++k) gate.inputs.at(k) = used(2 + k);
      drive(2 + inputs, gate);
    }
  }

  void read_many_ands(std::size_t count) {
    std::vector<Gate> gates;
    for (std::size_t i = 0; i < count; ++i) {
      gates.push_back({GateKind::and_gate, {used(2 + i), used(2 + count + i)}});
    }
    for (std::size_t i = 0; i < count; ++i) drive(2 + 2 * count + i, gates[i]);
  }

  void require_arity(const NamedKind& named, std::size_t inputs, std::size_t outputs,
                     std::size_t right_inputs, std::size_t right_outputs) const {
    if (inputs == right_inputs && outputs == right_outputs && outputs > 0) return;
    throw malformed(fmt::format("{} with {} inputs and {} outputs", named.name, inputs, outputs));
  }

  Netlist finish() {
    std::vector<Wire> output_wires;
    for (std::size_t number = 0; const Wire wire : wires_) {
      if (wire == kUndriven) {
        throw malformed_header(
            fmt::format("{} wires are declared, but nothing drives wire {}", declared_, number));
      }
      if (number++ >= declared_ - output_bits_) output_wires.push_back(wire);
    }
    auto next = output_wires.begin();
    std::vector<OutputWord> outputs;
    outputs.reserve(outputs_.size());
    for (const std::size_t width : outputs_) {
      const auto end = next + static_cast<std::ptrdiff_t>(width);
      outputs.push_back({fmt::format("out{}", outputs.size()), {next, end}});
      next = end;
    }
    std::vector<InputWord> inputs;
    inputs.reserve(inputs_.size());
    for (const std::size_t width : inputs_) {
      inputs.push_back({fmt::format("in{}", inputs.size()), width});
    }
    return {std::move(inputs), std::move(gates_), std::move(outputs)};
  }

  TextLines lines_;
  std::size_t max_wires_;
  TextLine line_;
  bool has_line_ = false;  // line_ holds the first gate already
  std::size_t header_line_ = 0;
  std::size_t gate_lines_ = 0;
  std::size_t declared_ = 0;  // wires
  std::vector<std::size_t> inputs_;
  std::vector<std::size_t> outputs_;
  std::size_t input_bits_ = 0;
  std::size_t output_bits_ = 0;
  NumberedValues<Wire> wires_;  // of the file -> of the netlist
  std::vector<Gate> gates_;
  Wire next_ = 0;
};

// Writes gates in Bristol Fashion, where the outputs are the last wires: those that are not get a
// copy at the end.
class BristolWriter {
 public:
  explicit BristolWriter(const Netlist& netlist) : netlist_(netlist) {}

  std::string text() {
    for (std::size_t i = 0; i < netlist_.gates().size(); ++i) {
      write_gate(netlist_.gates()[i], netlist_.driven(i));
    }
    std::size_t next = netlist_.wires();
    for (const Wire wire : netlist_.output_wires()) {
      body_ += fmt::format("1 1 {} {} EQW\n", wire, next++);
    }
    return fmt::format("{} {}\n{}\n{}\n\n", next - netlist_.input_bits(), next, input_widths(),
                       output_widths()) +
           body_;
  }

 private:
  void write_gate(const Gate& gate, Wire driven) {
    const auto& [x, y, z] = gate.inputs;
    switch (gate.kind) {
      case GateKind::xor_gate:
        body_ += fmt::format("2 1 {} {} {} XOR\n", x, y, driven);
        break;
      case GateKind::and_gate:
        body_ += fmt::format("2 1 {} {} {} AND\n", x, y, driven);
        break;
      case GateKind::not_gate:
        body_ += fmt::format("1 1 {} {} INV\n", x, driven);
        break;
      default:  // of a simplified circuit: a constant
        body_ += fmt::format("1 1 {} {} EQ\n", gate.kind == GateKind::constant_1 ? 1 : 0, driven);
        break;
    }
  }

  [[nodiscard]] std::string input_widths() const {
    std::string text = std::to_string(netlist_.inputs().size());
    for (const InputWord& word : netlist_.inputs()) text += fmt::format(" {}", word.width);
    return text;
  }

  [[nodiscard]] std::string output_widths() const {
    std::string text = std::to_string(netlist_.outputs().size());
    for (const OutputWord& word : netlist_.outputs()) text += fmt::format(" {}", word.wires.size());
    return text;
  }

  const Netlist& netlist_;
  std::string body_;
};

}  // namespace

Netlist parse_bristol(std::string_view text, const std::string& name) {
  return reporting_memory(
      [&] { return BristolParser(without_byte_order_mark(text), name).parse(); });
}

std::string to_bristol(const Netlist& netlist) {
  return reporting_memory([&] { return BristolWriter(simplified(netlist)).text(); });
}

}  // namespace fhe
