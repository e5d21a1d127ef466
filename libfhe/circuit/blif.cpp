#include "libfhe/circuit/blif.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "libfhe/circuit/builder.hpp"
#include "libfhe/circuit/small_function.hpp"
#include "libfhe/circuit/text_lines.hpp"

namespace fhe {

namespace {

using Net = std::uint32_t;

// A .names block: the output is `value` where one of the rows matches.
struct Cover {
  std::size_t line = 0;
  std::vector<Net> inputs;
  Net output = 0;
  std::vector<std::string_view> rows;  // 0, 1 or - for each input
  bool value = true;
};

// The bits of a port in the order of their indices.
struct Port {
  std::string name;
  std::size_t line = 0;
  std::map<std::size_t, Net> bits;
};

struct Ports {
  std::vector<Port> list;
  std::unordered_map<std::string_view, std::size_t> places;  // by name
};

struct Model {
  std::vector<std::string_view> names;  // of the nets
  Ports inputs;
  Ports outputs;
  std::vector<Cover> covers;
};

class BlifParser {
 public:
  explicit BlifParser(TextLines& lines) : lines_(lines) {}

  Model parse() {
    while (lines_.next(line_)) {
      if (ended_) throw malformed("there is more after .end: flatten the design to one model");
      if (line_.words.front().starts_with('.')) {
        read_directive();
      } else {
        read_row();
      }
    }
    if (!has_model_) throw lines_.malformed(lines_.number(), "there is no .model in the file");
    if (!ended_) throw lines_.malformed(lines_.number(), "the file ends before .end");
    if (model_.outputs.list.empty()) {
      throw lines_.malformed(lines_.number(), "the model has no .outputs");
    }
    return std::move(model_);
  }

 private:
  [[nodiscard]] Error malformed(const std::string& what) const {
    return lines_.malformed(line_.number, what);
  }

  void read_directive() {
    const std::string_view word = line_.words.front();
    if (word == ".model") {
      if (std::exchange(has_model_, true)) {
        throw malformed("a second .model: flatten the design (yosys: synth -flatten)");
      }
    } else if (!has_model_) {
      throw malformed(fmt::format("'{}' before .model", shown(word)));
    } else if (word == ".inputs") {
      add_ports(model_.inputs);
    } else if (word == ".outputs") {
      add_ports(model_.outputs);
    } else if (word == ".names") {
      add_cover();
    } else if (word == ".conn") {
      add_connection();
    } else if (word == ".end") {
      ended_ = true;
    } else if (word == ".latch") {
      throw malformed("a latch: only combinational circuits can be computed; unroll the clock");
    } else if (word == ".subckt" || word == ".gate" || word == ".mlatch") {
      throw malformed(
          fmt::format("'{}' stands for a cell that is not described here: map the design to simple "
                      "gates (yosys: synth -flatten; abc -lut 3; opt_clean)",
                      word));
    } else if (word != ".attr" && word != ".param" && word != ".cname") {
      throw malformed(fmt::format("'{}' is not understood", shown(word)));
    }
    in_cover_ = word == ".names";
  }

  Net net(std::string_view name) {
    const auto [place, is_new] = nets_.try_emplace(name, static_cast<Net>(model_.names.size()));
    if (is_new) model_.names.push_back(name);
    return place->second;
  }

  // "name[3]" is bit 3 of port "name", and "name" its bit 0.
  void add_ports(Ports& ports) {
    for (std::size_t i = 1; i < line_.words.size(); ++i) {
      const std::string_view name = line_.words[i];
      const auto [base, index] = split(name);
      const auto [place, is_new] = ports.places.try_emplace(base, ports.list.size());
      if (is_new) ports.list.push_back({std::string(base), line_.number, {}});
      if (!ports.list[place->second].bits.try_emplace(index, net(name)).second) {
        throw malformed(fmt::format("bit {} of port '{}' a second time", index, shown(base)));
      }
    }
  }

  [[nodiscard]] std::pair<std::string_view, std::size_t> split(std::string_view name) const {
    const std::size_t bracket = name.rfind('[');
    if (!name.ends_with(']') || bracket == std::string_view::npos || bracket == 0) return {name, 0};
    const std::string_view digits = name.substr(bracket + 1, name.size() - bracket - 2);
    if (digits.empty() || !std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; }))
      return {name, 0};
    return {name.substr(0, bracket),
            lines_.number_in(digits, line_.number, lines_.bytes(), "the index of a port's bit")};
  }

  void add_cover() {
    if (line_.words.size() < 2) throw malformed(".names without an output");
    Cover cover;
    cover.line = line_.number;
    for (std::size_t i = 1; i + 1 < line_.words.size(); ++i) {
      cover.inputs.push_back(net(line_.words[i]));
    }
    cover.output = net(line_.words.back());
    model_.covers.push_back(std::move(cover));
  }

  // ".conn a b": b is a.
  void add_connection() {
    if (line_.words.size() != 3) throw malformed(".conn names two nets");
    static constexpr std::string_view kOne = "1";
    const Net from = net(line_.words[1]);
    model_.covers.push_back({line_.number, {from}, net(line_.words[2]), {kOne}, true});
  }

  void read_row() {
    if (!in_cover_) {
      throw malformed(fmt::format("'{}' outside a .names", shown(line_.words.front())));
    }
    Cover& cover = model_.covers.back();
    const bool constant = cover.inputs.empty();
    if (line_.words.size() != (constant ? 1U : 2U)) {
      throw malformed("a row of a truth table holds the inputs' values and the output's");
    }
    const std::string_view row = constant ? std::string_view() : line_.words.front();
    const std::string_view value = line_.words.back();
    if (row.size() != cover.inputs.size() ||
        row.find_first_not_of("01-") != std::string_view::npos) {
      throw malformed(fmt::format("'{}' is no row for {} inputs: each is 0, 1 or -", shown(row),
                                  cover.inputs.size()));
    }
    if (value != "0" && value != "1") {
      throw malformed(fmt::format("an output is 0 or 1, not '{}'", shown(value)));
    }
    if (!cover.rows.empty() && cover.value != (value == "1")) {
      throw malformed("a truth table lists either the rows for 1 or those for 0, not both");
    }
    cover.value = value == "1";
    cover.rows.push_back(row);
  }

  TextLines& lines_;
  TextLine line_;
  Model model_;
  std::unordered_map<std::string_view, Net> nets_;
  bool has_model_ = false;
  bool ended_ = false;
  bool in_cover_ = false;
};

// The truth table of a cover as a function of `inputs` bits, the first of which are its own.
SmallTable truth_table(const Cover& cover, std::size_t inputs) {
  SmallTable table = 0;
  for (unsigned m = 0; m < 1U << inputs; ++m) {
    const bool matches = std::ranges::any_of(cover.rows, [&](std::string_view row) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (row[i] != '-' && (row[i] == '1') != ((m >> i & 1U) != 0)) return false;
      }
      return true;
    });
    if (matches == cover.value) table |= SmallTable{1} << m;
  }
  return table;
}

WireBit inverted_if(const WireBit& x, bool inverted) {
  return inverted ? ~x : x;
}

// The ANDs of general_function().
std::size_t ands_of_rows(const Cover& cover) {
  std::size_t ands = std::max<std::size_t>(cover.rows.size(), 1) - 1;
  for (const std::string_view row : cover.rows) {
    const auto literals = row.size() - static_cast<std::size_t>(std::ranges::count(row, '-'));
    ands += std::max<std::size_t>(literals, 1) - 1;
  }
  return ands;
}

// Any number of inputs: OR of the rows, each an AND, in balanced trees.
WireBit general_function(const Cover& cover, const std::vector<WireBit>& x,
                         NetlistBuilder& builder) {
  const auto all_of = [&](std::vector<WireBit> bits) {
    if (bits.empty()) return WireBit::known(builder, true);
    for (std::size_t i = 0; i + 1 < bits.size(); i += 2) bits.push_back(bits[i] & bits[i + 1]);
    return bits.back();
  };
  std::vector<WireBit> misses;
  for (const std::string_view row : cover.rows) {
    std::vector<WireBit> literals;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i] != '-') literals.push_back(inverted_if(x[i], row[i] == '0'));
    }
    misses.push_back(~all_of(std::move(literals)));
  }
  return inverted_if(all_of(std::move(misses)), cover.value);
}

class BlifBuilder {
 public:
  BlifBuilder(const Model& model, const TextLines& lines)
      : model_(model), lines_(lines), bits_(model.names.size()), drivers_(model.names.size()) {}

  Netlist build() {
    for (const Port& port : model_.inputs.list) add_input(port);
    for (std::size_t i = 0; i < model_.covers.size(); ++i) {
      const Cover& cover = model_.covers[i];
      if (bits_[cover.output] || drivers_[cover.output]) {
        throw lines_.malformed(
            cover.line, fmt::format("net '{}' is driven a second time", name_of(cover.output)));
      }
      drivers_[cover.output] = i;
    }
    for (std::size_t i = 0; i < model_.covers.size(); ++i) compute(i);
    for (const Port& port : model_.outputs.list) add_output(port);
    return builder_.build();
  }

 private:
  struct Visit {
    bool entered = false;
    std::size_t inputs_done = 0;
  };

  [[nodiscard]] std::string name_of(Net net) const { return shown(model_.names[net]); }

  void require_whole(const Port& port) const {
    const std::size_t first = port.bits.begin()->first;
    const std::size_t last = port.bits.rbegin()->first;
    if (last - first + 1 == port.bits.size()) return;
    throw lines_.malformed(port.line,
                           fmt::format("port '{}' has {} bits between {} and {}: some are missing",
                                       shown(port.name), port.bits.size(), first, last));
  }

  void add_input(const Port& port) {
    require_whole(port);
    const std::vector<Wire> wires = builder_.input(port.name, port.bits.size());
    std::size_t next = 0;
    for (const auto& [index, net] : port.bits) bits_[net] = WireBit(builder_, wires[next++]);
  }

  void add_output(const Port& port) {
    require_whole(port);
    std::vector<Wire> wires;
    for (const auto& [index, net] : port.bits) {
      require_driven(net, port.line);
      wires.push_back(bits_[net]->value());
    }
    builder_.output(port.name, std::move(wires));
  }

  void require_driven(Net net, std::size_t line) const {
    if (bits_[net] || drivers_[net]) return;
    throw lines_.malformed(line, fmt::format("nothing drives net '{}'", name_of(net)));
  }

  // The cover of the next input that has no value yet; none when all have one.
  std::optional<std::size_t> next_missing(std::size_t index) {
    const Cover& cover = model_.covers[index];
    for (std::size_t& k = visits_[index].inputs_done; k < cover.inputs.size(); ++k) {
      const Net input = cover.inputs[k];
      require_driven(input, cover.line);
      if (!bits_[input]) return drivers_[input];
    }
    return std::nullopt;
  }

  // Computes a cover after all that it needs, without recursion: chains are long.
  void compute(std::size_t index) {
    std::vector<std::size_t> path{index};
    while (!path.empty()) {
      const std::size_t top = path.back();
      const Cover& cover = model_.covers[top];
      visits_[top].entered = true;
      const std::optional<std::size_t> missing =
          bits_[cover.output] ? std::nullopt : next_missing(top);
      if (missing) {
        if (visits_[*missing].entered) {
          throw lines_.malformed(cover.line, fmt::format("net '{}' depends on itself through '{}'",
                                                         name_of(cover.output),
                                                         name_of(model_.covers[*missing].output)));
        }
        path.push_back(*missing);
        continue;
      }
      if (!bits_[cover.output]) bits_[cover.output] = function(cover);
      path.pop_back();
    }
  }

  WireBit function(const Cover& cover) {
    std::vector<WireBit> x;
    for (const Net input : cover.inputs) x.push_back(*bits_[input]);
    if (x.size() > kMostInputs) return general_function(cover, x, builder_);
    x.resize(std::max(x.size(), kLeastInputs), WireBit::known(builder_, false));
    const SmallTable table = truth_table(cover, x.size());
    const bool rows_are_cheaper = ands_of_rows(cover) < ands_of(table, x.size());
    return rows_are_cheaper ? general_function(cover, x, builder_) : small_function(table, x);
  }

  const Model& model_;
  const TextLines& lines_;
  NetlistBuilder builder_;
  std::vector<std::optional<WireBit>> bits_;                              // by net
  std::vector<std::optional<std::size_t>> drivers_;                       // by net: its cover
  std::vector<Visit> visits_ = std::vector<Visit>(model_.covers.size());  // by cover
};

}  // namespace

Netlist parse_blif(std::string_view text, const std::string& name) {
  TextLines lines(text, name, true);
  const Model model = BlifParser(lines).parse();
  return BlifBuilder(model, lines).build();
}

}  // namespace fhe
