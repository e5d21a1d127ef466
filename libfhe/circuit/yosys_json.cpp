// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/yosys_json.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "libfhe/circuit/net_graph.hpp"
#include "libfhe/circuit/port_list.hpp"
#include "libfhe/circuit/text_lines.hpp"
#include "libfhe/circuit/yosys_cells.hpp"
#include "libfhe/memory_errors.hpp"

namespace fhe {

namespace {

constexpr std::size_t kMostNesting = 64;

// How Yosys numbers nets, and the constants among them.
using NetId = std::uint64_t;
constexpr NetId kZero = std::numeric_limits<NetId>::max();
constexpr NetId kOne = kZero - 1;

bool is_constant(NetId id) {
  return id == kZero || id == kOne;
}

constexpr std::string_view kMapCells =
    "map the design to simple gates (yosys: synth -flatten; async2sync; abc -lut 3; opt_clean)";

// A constant as Yosys writes it, its highest bit first.
std::string binary_text(std::uint64_t value) {
  return fmt::format("{:064b}", value);
}

// Bit `index` of such a constant; 0 beyond its end, and for x.
bool bit_of(std::string_view constant, std::size_t index) {
  return index < constant.size() && constant[constant.size() - 1 - index] == '1';
}

// Ports, cells and names of nets: what is read until it ends, in whichever order its members come.
struct Item {
  struct Connection {
    std::string port;
    std::vector<NetId> bits;
  };

  std::string name;
  std::size_t line = 0;
  std::string direction = {};                // of a port
  std::string type = {};                     // of a cell
  std::string table = {};                    // of a cell: parameter LUT
  std::string initial = {};                  // of a net: attribute init
  std::vector<NetId> bits = {};              // of a port or a net
  std::vector<Connection> connections = {};  // of a cell
};

// Something that is wrong with a module, which matters if that module is the circuit.
struct Problem {
  std::size_t line = 0;
  std::string what;
};

class Module final : public NetMeaning {
 public:
  Module(std::string name, std::size_t line) : name_(std::move(name)), line_(line) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool is_top() const { return is_top_; }
  void set_top() { is_top_ = true; }

  void add_port(const Item& item) {
    if (item.direction != "input" && item.direction != "output") {
      return refuse(item,
                    fmt::format("port '{}' is neither an input nor an output", shown(item.name)));
    }
    if (item.bits.empty()) {
      return refuse(item, fmt::format("port '{}' has no bits", shown(item.name)));
    }
    if (item.direction == "input" && std::ranges::any_of(item.bits, is_constant)) {
      return refuse(item,
                    fmt::format("input '{}' has a constant among its bits", shown(item.name)));
    }
    NetPort port{item.name, item.line, {}};
    for (const NetId id : item.bits) port.bits.push_back(net(id));
    (item.direction == "input" ? graph_.inputs : graph_.outputs).push_back(std::move(port));
  }

  void add_name(const Item& item) {
    for (std::size_t i = 0; i < std::min(item.bits.size(), item.initial.size()); ++i) {
      const bool is_known = item.initial[item.initial.size() - 1 - i] != 'x';
      if (!is_known) continue;
      const auto [place, is_new] = initial_.try_emplace(net(item.bits[i]), bit_of(item.initial, i));
      if (is_new || place->second == bit_of(item.initial, i)) continue;
      refuse(item, fmt::format("net '{}' starts with another value than under another name",
                               shown(item.name)));
    }
  }

  void add_cell(const Item& item) {
    if (item.type == "$scopeinfo") return;  // a note about where cells come from
    if (const auto gate = yosys_gate(item.type)) return add_gate(item, *gate);
    if (item.type == "$lut") return add_table(item);
    if (const auto found = yosys_register(item.type)) return add_register(item, *found);
    if (is_asynchronous_cell(item.type)) {
      return refuse(
          item,
          fmt::format("cell '{}' ({}) is a latch, or is set without its clock: make its reset "
                      "synchronous (yosys: async2sync), or let the circuit sample all its "
                      "signals (clk2fflogic; opt; simplemap; opt)",
                      shown(item.name), shown(item.type)));
    }
    refuse(item, fmt::format("cell '{}' ({}) is neither a simple gate nor a flip-flop: {}",
                             shown(item.name), shown(item.type), kMapCells));
  }

  // Throws Error(malformed_file) for what was wrong with it.
  [[nodiscard]] ClockedCircuit circuit(const TextLines& lines) {
    if (graph_.outputs.empty()) refuse(line_, "the module has no outputs");
    check_names(graph_.inputs, graph_.outputs, lines);
    if (problem_) throw lines.malformed(problem_->line, problem_->what);
    graph_.nets = ids_.size();
    for (NetRegister& found : graph_.registers) {
      const auto place = initial_.find(found.value);
      found.initial = place != initial_.end() && place->second;
    }
    return to_circuit(graph_, *this, lines);
  }

  void refuse(std::size_t line, std::string what) {
    if (!problem_) problem_ = Problem{line, std::move(what)};
  }

  [[nodiscard]] std::string name_of(Net net) const override {
    const NetId id = ids_[net];
    if (is_constant(id)) return id == kOne ? "1" : "0";
    return std::to_string(id);
  }

  [[nodiscard]] WireBit value_of(std::size_t index, std::vector<WireBit> x,
                                 NetlistBuilder& builder) const override {
    return padded_function(tables_[index], std::move(x), builder);
  }

 private:
  void refuse(const Item& item, std::string what) { refuse(item.line, std::move(what)); }

  Net net(NetId id) {
    const auto [place, is_new] = numbers_.try_emplace(id, static_cast<Net>(ids_.size()));
    if (!is_new) return place->second;
    ids_.push_back(id);
    if (is_constant(id)) {
      add_function(line_, id == kOne ? ~SmallTable{0} : 0, {}, place->second);
    }
    return place->second;
  }

  // A net that the file does not have.
  Net new_net(std::size_t register_number) {
    ids_.push_back(register_number);
    return static_cast<Net>(ids_.size() - 1);
  }

  void add_function(std::size_t line, SmallTable table, const std::vector<Net>& inputs,
                    Net output) {
    graph_.add_function(line).output = output;
    for (const Net input : inputs) graph_.add_input(input);
    tables_.push_back(table);
  }

  // The bits that a cell has at a port; none, and a note of it, unless there are as many of them.
  std::optional<std::vector<Net>> bits_at(const Item& cell, std::string_view port,
                                          std::size_t count) {
    const auto is_it = [&](const Item::Connection& found) { return found.port == port; };
    const auto found = std::ranges::find_if(cell.connections, is_it);
    if (found == cell.connections.end() || found->bits.size() != count ||
        std::ranges::count_if(cell.connections, is_it) != 1) {
      refuse(cell, fmt::format("cell '{}' ({}) has not one list of {} bits at its port {}",
                               shown(cell.name), shown(cell.type), count, port));
      return std::nullopt;
    }
    std::vector<Net> nets;
    for (const NetId id : found->bits) nets.push_back(net(id));
    return nets;
  }

  std::optional<Net> bit_at(const Item& cell, std::string_view port) {
    const auto nets = bits_at(cell, port, 1);
    return nets ? std::optional(nets->front()) : std::nullopt;
  }

  void add_gate(const Item& cell, const YosysGate& gate) {
    std::vector<Net> inputs;
    for (const char letter : gate.inputs) {
      const auto input = bit_at(cell, std::string_view(&letter, 1));
      if (!input) return;
      inputs.push_back(*input);
    }
    const auto output = bit_at(cell, "Y");
    if (output) add_function(cell.line, gate.table, inputs, *output);
  }

  void add_table(const Item& cell) {
    const auto port = std::ranges::find(cell.connections, "A", &Item::Connection::port);
    const std::size_t width = port == cell.connections.end() ? 0 : port->bits.size();
    if (width > kMostInputs) {
      return refuse(cell, fmt::format("cell '{}' is a table of {} inputs, and {} are the most: {}",
                                      shown(cell.name), width, kMostInputs, kMapCells));
    }
    const std::size_t rows = std::size_t{1} << width;
    if (cell.table.size() < rows) {
      return refuse(cell, fmt::format("cell '{}' is a table of {} inputs with {} rows",
                                      shown(cell.name), width, cell.table.size()));
    }
    const auto inputs = bits_at(cell, "A", width);
    const auto output = bit_at(cell, "Y");
    if (!inputs || !output) return;
    SmallTable table = 0;
    for (std::size_t row = 0; row < 64; ++row) {
      if (bit_of(cell.table, row % rows)) table |= SmallTable{1} << row;
    }
    add_function(cell.line, table, *inputs, *output);
  }

  void add_register(const Item& cell, const YosysRegister& found) {
    const auto d = bit_at(cell, "D");
    const auto q = bit_at(cell, "Q");
    if (!d || !q) return;
    NetRegister made{cell.line, *d, *q};
    if (found.has_clock) {
      const auto clock = bit_at(cell, "C");
      if (!clock) return;
      made.clock = NetClock{*clock, found.rising};
    }
    if (found.enable || found.reset) {
      const auto next = next_value(cell, found, *d, *q);
      if (!next) return;
      made.next = *next;
    }
    graph_.registers.push_back(made);
  }

  // What an absent control is does not matter.
  std::optional<Net> next_value(const Item& cell, const YosysRegister& found, Net d, Net q) {
    const std::optional<Net> enable = found.enable ? bit_at(cell, "E") : std::optional(d);
    const std::optional<Net> reset = found.reset ? bit_at(cell, "R") : std::optional(d);
    if (!enable || !reset) return std::nullopt;
    const Net next = new_net(ids_[q]);
    add_function(cell.line, found.next(), {d, q, *enable, *reset}, next);
    return next;
  }

  static void check_names(const std::vector<NetPort>& inputs, const std::vector<NetPort>& outputs,
                          const TextLines& lines) {
    std::vector<std::pair<std::string_view, std::size_t>> names;
    for (const auto* const ports : {&inputs, &outputs}) {
      for (const NetPort& port : *ports) {
        if (port.name.empty()) throw lines.malformed(port.line, "a port has no name");
        require_printable(port.name, port.line, lines);
        names.emplace_back(port.name, port.line);
      }
    }
    std::ranges::sort(names);
    const auto twice = std::ranges::adjacent_find(
        names, [](const auto& x, const auto& y) { return x.first == y.first; });
    if (twice == names.end()) return;
    throw lines.malformed(std::next(twice)->second,
                          fmt::format("there are two ports called '{}'", twice->first));
  }

  std::string name_;
  std::size_t line_;
  bool is_top_ = false;
  NetGraph graph_;
  std::vector<SmallTable> tables_;  // by function of the graph
  std::map<NetId, Net> numbers_;
  std::vector<NetId> ids_;  // by net; of what a register takes next its own
  std::map<Net, bool> initial_;
  std::optional<Problem> problem_;
};

// The text, for a parser that reads it once; `position` follows it.
class TextPosition {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  TextPosition(const char* at, const char** position) : at_(at), position_(position) {}

  reference operator*() const { return *at_; }
  TextPosition& operator++() {
    *position_ = ++at_;
    return *this;
  }
  friend bool operator==(const TextPosition& x, const TextPosition& y) { return x.at_ == y.at_; }

 private:
  const char* at_;
  const char** position_;
};

// Takes what the parser finds, as it finds it. Where it is in the file is a list of keys, one for
// each object or array that is open.
class YosysReader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  YosysReader(std::string_view text, const std::string& name)
      : lines_(text, name, false),
        counted_(text.data()),
        position_(text.data()),
        end_(text.data() + text.size()) {}

  [[nodiscard]] ClockedCircuit read() {
    static_cast<void>(nlohmann::json::sax_parse(TextPosition(position_, &position_),
                                                TextPosition(end_, &position_), this));
    return circuit_module().circuit(lines_);
  }

  bool null() override { return refuse_bit("null"); }
  bool boolean(bool value) override { return refuse_bit(value ? "true" : "false"); }
  bool number_integer(std::int64_t /*value*/) override { return refuse_bit("a negative number"); }
  bool number_float(double /*value*/, const std::string& /*text*/) override {
    return refuse_bit("a fraction, or a number of 2^64 or more");
  }
  bool number_unsigned(std::uint64_t value) override {
    if (std::vector<NetId>* const bits = open_bits()) {
      if (value >= kOne) return refuse_bit("too large a number");
      bits->push_back(value);
    } else {
      constant(binary_text(value));
    }
    return true;
  }
  bool string(std::string& value) override {
    std::vector<NetId>* const bits = open_bits();
    if (bits == nullptr) {
      text(value);
    } else if (value == "0" || value == "1" || value == "x") {
      bits->push_back(value == "1" ? kOne : kZero);
    } else {
      return refuse_bit(fmt::format("'{}'", shown(value)));
    }
    return true;
  }
  bool binary(nlohmann::json::binary_t& /*value*/) override { return true; }

  bool key(std::string& name) override {
    keys_.back() = std::move(name);
    return true;
  }
  bool start_object(std::size_t /*members*/) override {
    if (is_at({"modules", ""})) modules_.emplace_back(keys_[1], line());
    if (keys_.size() == 4 && keys_[0] == "modules" && !modules_.empty()) {
      item_ = Item{keys_[3], line()};
    }
    return open();
  }
  bool end_object() override {
    keys_.pop_back();
    if (is_at({"modules", "", "ports", ""})) modules_.back().add_port(item_);
    if (is_at({"modules", "", "cells", ""})) modules_.back().add_cell(item_);
    if (is_at({"modules", "", "netnames", ""})) modules_.back().add_name(item_);
    return true;
  }
  bool start_array(std::size_t /*elements*/) override {
    if (is_at({"modules", "", "cells", "", "connections", ""})) {
      item_.connections.push_back({keys_[5], {}});
    }
    return open();
  }
  bool end_array() override {
    keys_.pop_back();
    return true;
  }

  bool parse_error(std::size_t /*position*/, const std::string& token,
                   const nlohmann::detail::exception& /*error*/) override {
    throw lines_.malformed(line(), fmt::format("this is no JSON: near '{}'", shown(token)));
  }

 private:
  // The line up to which the parser has read, counted on from the last one that was asked for.
  [[nodiscard]] std::size_t line() {
    line_ += static_cast<std::size_t>(std::count(counted_, position_, '\n'));
    counted_ = position_;
    return line_;
  }

  bool open() {
    if (keys_.size() == kMostNesting) {
      throw lines_.malformed(line(), fmt::format("objects within {} others: Yosys writes no such "
                                                 "file",
                                                 kMostNesting));
    }
    refuse_bit("a list");
    keys_.emplace_back();
    return true;
  }

  // Whether the keys are these; an empty one stands for any. Below a module there must be one.
  [[nodiscard]] bool is_at(std::initializer_list<std::string_view> path) const {
    const auto matches = [](std::string_view part, const std::string& key) {
      return part.empty() || part == key;
    };
    return (path.size() <= 2 || !modules_.empty()) && keys_.size() == path.size() &&
           std::equal(path.begin(), path.end(), keys_.begin(), matches);
  }

  // The list of bits that an element belongs to.
  [[nodiscard]] std::vector<NetId>* open_bits() {
    if (is_at({"modules", "", "ports", "", "bits", ""}) ||
        is_at({"modules", "", "netnames", "", "bits", ""})) {
      return &item_.bits;
    }
    const bool connected = is_at({"modules", "", "cells", "", "connections", "", ""});
    return connected && !item_.connections.empty() ? &item_.connections.back().bits : nullptr;
  }

  bool refuse_bit(const std::string& what) {
    if (open_bits() != nullptr) {
      modules_.back().refuse(
          line(), fmt::format(R"(a bit is the number of a net, "0", "1" or "x", not {})", what));
    }
    return true;
  }

  void text(const std::string& value) {
    if (is_at({"modules", "", "ports", "", "direction"})) item_.direction = value;
    if (is_at({"modules", "", "cells", "", "type"})) item_.type = value;
    constant(value);
  }

  void constant(const std::string& value) {
    if (is_at({"modules", "", "cells", "", "parameters", "LUT"})) item_.table = value;
    if (is_at({"modules", "", "netnames", "", "attributes", "init"})) item_.initial = value;
    const bool is_top =
        is_at({"modules", "", "attributes", "top"}) && value.find('1') != std::string::npos;
    if (is_top) modules_.back().set_top();
  }

  // The top, or the only one.
  [[nodiscard]] Module& circuit_module() {
    if (modules_.empty()) {
      throw lines_.malformed(
          1,
          "this JSON is not of Yosys: it has no object `modules` with a module in it (yosys: "
          "write_json)");
    }
    const auto tops = std::ranges::count_if(modules_, &Module::is_top);
    if (tops == 1) return *std::ranges::find_if(modules_, &Module::is_top);
    if (modules_.size() == 1) return modules_.front();
    throw lines_.malformed(
        line(),
        fmt::format("the file has {} modules, of which {} are the top: say which one it is, "
                    "and flatten it (yosys: synth -flatten -top NAME)",
                    modules_.size(), tops));
  }

  TextLines lines_;
  const char* counted_;
  const char* position_;
  const char* end_;
  std::size_t line_ = 1;
  std::vector<std::string> keys_;
  Item item_;
  std::vector<Module> modules_;
};

}  // namespace

ClockedCircuit parse_yosys_json(std::string_view text, const std::string& name) {
  return reporting_memory([&] { return YosysReader(without_byte_order_mark(text), name).read(); });
}

}  // namespace fhe
