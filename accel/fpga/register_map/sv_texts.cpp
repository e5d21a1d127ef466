// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <stdexcept>

#include <fmt/format.h>

#include "accel/fpga/register_map/texts.hpp"

namespace fhe::fpga::register_map {

namespace {

std::string upper(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::toupper(c); });
  return result;
}

std::string constant(std::string_view prefix, int bits, std::string_view name,
                     std::uint32_t value) {
  const std::string type = bits == 32 ? "int" : fmt::format("logic [{}:0]", bits - 1);
  const std::string literal =
      bits == 32 ? fmt::format("{}", value) : fmt::format("{}'h{:0{}x}", bits, value, bits / 4);
  const std::string full = prefix.empty() ? upper(name) : fmt::format("{}_{}", prefix, upper(name));
  return fmt::format("localparam {} {} = {};", type, full, literal);
}

// The lowest bit of a field, and how many it has where these are several.
std::string fields(const Opcode& opcode) {
  std::string out;
  for (const Field& f : opcode.fields) {
    const std::string name = upper(opcode.name + "_" + f.name);
    out += constant("FIELD", 32, name, f.low) + "\n";
    if (f.bits() != 1) out += constant("FIELD", 32, name + "_BITS", f.bits()) + "\n";
  }
  return out;
}

std::string value(const Field& f) {
  return f.bits() == 1 ? place(f) : fmt::format("64'({})", place(f));
}

// What expressions are computed from a clock or two before them: lengths in words, and products.
// And conditions, each a clock before all of an opcode are looked at.
struct Early {
  std::vector<std::string> lengths;   // of which the words are wanted
  std::vector<std::string> products;  // of numbers that are known while the device runs, as written
  std::vector<std::string> conditions;

  std::string words_of(const std::string& length) {
    if (std::ranges::find(lengths, length) == lengths.end()) lengths.push_back(length);
    return length + "_words";
  }
  std::string product(const std::string& text) {
    return fmt::format("product_{}", place_in(products, text));
  }
  std::string condition(const std::string& text) {
    return fmt::format("met[{}]", place_in(conditions, text));
  }

 private:
  static std::ptrdiff_t place_in(std::vector<std::string>& texts, const std::string& text) {
    auto found = std::ranges::find(texts, text);
    if (found == texts.end()) found = texts.insert(texts.end(), text);
    return found - texts.begin();
  }
};

// One past the operand that begins at `first`: a name, a number, or what stands in brackets.
std::size_t end_of_operand(const Expression& e, std::size_t first) {
  std::size_t end = first, open = 0;
  do {
    if (end == e.size()) return end;
    if (e[end].text == "(") ++open;
    if (e[end].text == ")") --open;
    ++end;
  } while (open != 0);
  return end;
}

std::string expression(const Map& map, const Opcode& opcode, const Expression& e) {
  const auto name = [&](const std::string& text) {
    if (const Field* f = opcode.field(text)) return value(*f);
    const std::string_view feature = feature_of(text);
    if (!feature.empty()) return fmt::format("FEATURES[FEATURE_{}]", upper(feature));
    if (map.has("parameters", text)) return fmt::format("64'({})", upper(text));
    return text == "true" ? "1'b1" : text == "false" ? "1'b0" : text;
  };
  const auto number = [](const std::string& text) { return fmt::format("64'd{}", text); };
  return write_expression(e, {.number = number, .name = name});
}

// With names for the words of lengths, and for products of two operands none of which is a
// constant.
Expression with_early(const Map& map, const Opcode& opcode, Early& early, const Expression& e) {
  Expression out;
  const auto is_constant = [&](const Token& token) {
    return token.kind == Token::Kind::number || map.has("parameters", token.text);
  };
  for (std::size_t i = 0; i < e.size();) {
    if (e[i].text == "words") {
      const std::size_t end = end_of_operand(e, i + 1);
      if (end != i + 4) throw std::runtime_error("words(..) of more than a name");
      out.push_back({Token::Kind::name, early.words_of(e.at(i + 2).text)});
      i = end;
    } else if (e[i].text == "*" && !is_constant(out.back()) && !is_constant(e.at(i + 1))) {
      if (out.back().text == ")") throw std::runtime_error("a product begins with brackets");
      const std::size_t brackets = e[i + 1].text == "words" ? 1 : 0;
      const std::size_t end = end_of_operand(e, i + 1 + brackets);
      const Expression factor =
          with_early(map, opcode, early, {e.begin() + i + 1, e.begin() + end});
      Expression product = {out.back(), e[i]};
      product.insert(product.end(), factor.begin(), factor.end());
      out.back() = {Token::Kind::name, early.product(expression(map, opcode, product))};
      i = end;
    } else {
      out.push_back(e[i++]);
    }
  }
  return out;
}

std::string conditions(const Map& map, const Opcode& opcode, Early& early) {
  std::string out;
  for (const Expression& condition : opcode.conditions) {
    if (!out.empty()) out += " && ";
    out += early.condition(expression(map, opcode, with_early(map, opcode, early, condition)));
  }
  return out.empty() ? "1'b1" : out;
}

// Without what has its initial value.
std::string rules(const Map& map, const Opcode& opcode, Early& early) {
  std::string out = fmt::format("      OP_{}: begin\n", upper(opcode.name));
  const auto assign = [&](std::string_view output, const std::string& value,
                          std::string_view initial) {
    if (value != initial) out += fmt::format("        {} = {};\n", output, value);
  };
  const auto written = [&](const Expression& e) { return expression(map, opcode, e); };
  const auto bits = [&](const Expression& e) {
    return expression(map, opcode, with_early(map, opcode, early, e));
  };
  const auto bit = [](bool value) { return value ? "1'b1" : "1'b0"; };
  const Field* engine = opcode.field("engine");
  assign("procedure", fmt::format("PROCEDURE_{}", upper(opcode.procedure)), "");
  assign("engine", engine == nullptr ? "" : place(*engine), "");
  assign("known", written(opcode.needs), "1'b0");
  assign("names_context", written(opcode.names_context), "1'b0");
  assign("needs_context", written(opcode.needs_context), "1'b0");
  assign("lengths_fit", conditions(map, opcode, early), "1'b1");
  assign("dst_bits", bits(opcode.dst), "64'd0");
  assign("src0_bits", bits(opcode.src0), "64'd0");
  assign("src1_bits", bits(opcode.src1), "64'd0");
  assign("param_bits", bits(opcode.param), "64'd0");
  assign("src0_may_be_dst", bit(opcode.src0_may_be_dst), "1'b0");
  assign("src1_may_be_dst", bit(opcode.src1_may_be_dst), "1'b0");
  return out + "      end\n";
}

// Each engine but the first is there with the feature of its name, and the first with any of them.
std::string engines(const Map& map) {
  std::string named, any;
  for (const Entry& engine : map.entries("engine")) {
    if (engine.value == 0) continue;
    const std::string feature = fmt::format("FEATURES[FEATURE_{}]", upper(engine.name));
    named += fmt::format("      64'(ENGINE_{}): has_engine = {};\n", upper(engine.name), feature);
    any += (any.empty() ? "" : " || ") + feature;
  }
  return fmt::format(
      "  function automatic logic has_engine(input logic [63:0] number);\n    case (number)\n"
      "      64'(ENGINE_FASTEST): has_engine = {};\n{}"
      "      default: has_engine = 1'b0;\n    endcase\n  endfunction\n\n",
      any, named);
}

constexpr std::string_view kInterface =
    R"(// What a command is required to be, opcode by opcode, see OPCODES.md in contract.
//
//   command           the descriptor
//   context_*         the numbers of its context
//   procedure         how it runs; engine: what multiplies, 0 where it does not say
//   known             there is such an opcode, and what it needs
//   names_context     it has a context; needs_context: one that is set
//   lengths_fit       all its conditions are met: three clocks after the command is there, two after the context is
//   *_bits            of what it reads or writes at SRC0, SRC1, PARAM, DST, a clock before; 0: the address is not looked at
//   *_may_be_dst      a source that may begin where DST does
//
//   FEATURES, KARAT_PARAM   as the registers say them
`default_nettype none
module command_rules #(
    parameter logic [31:0] FEATURES = 32'd0,
    parameter logic [31:0] KARAT_PARAM = 32'd0
) (
    input  logic         clk,
    input  logic [511:0] command,
    input  logic [ 31:0] context_phi,
    input  logic [ 31:0] context_gamma,
    output logic [  3:0] procedure,
    output logic [  2:0] engine,
    output logic         known,
    output logic         names_context,
    output logic         needs_context,
    output logic         lengths_fit,
    output logic [ 63:0] dst_bits,
    output logic [ 63:0] src0_bits,
    output logic [ 63:0] src1_bits,
    output logic [ 63:0] param_bits,
    output logic         src0_may_be_dst,
    output logic         src1_may_be_dst
);
  `include "register_map.svh"

  // All numbers have 64 bits, so that nothing wraps around.
  logic [63:0] len0, len1, lend, aux, aux2, phi, gamma, log2_coefficients, coefficient_bits;
  assign len0 = {32'd0, command[32*DESCRIPTOR_LEN0+:32]};
  assign len1 = {32'd0, command[32*DESCRIPTOR_LEN1+:32]};
  assign lend = {32'd0, command[32*DESCRIPTOR_LEND+:32]};
  assign aux = {48'd0, command[32*DESCRIPTOR_CONTEXT+16+:16]};
  assign aux2 = {32'd0, command[32*DESCRIPTOR_AUX2+:32]};
  assign phi = {32'd0, context_phi};
  assign gamma = {32'd0, context_gamma};
  assign log2_coefficients = {56'd0, KARAT_PARAM[7:0]};
  assign coefficient_bits = {56'd0, KARAT_PARAM[15:8]};

  function automatic logic [63:0] words(input logic [63:0] bits);
    words = (bits + 64'(WORD_BITS) - 64'd1) >> $clog2(WORD_BITS);
  endfunction

)";

// Lengths in words after a clock, products after two at most, and conditions on them.
std::string registers(const Early& early) {
  std::string names, values;
  const auto add = [&](const std::string& name, const std::string& value) {
    names += (names.empty() ? "" : ", ") + name;
    values += fmt::format("    {} <= {};\n", name, value);
  };
  for (const std::string& length : early.lengths)
    add(length + "_words", fmt::format("words({})", length));
  for (std::size_t i = 0; i < early.products.size(); ++i)
    add(fmt::format("product_{}", i), early.products[i]);
  for (std::size_t i = 0; i < early.conditions.size(); ++i)
    values += fmt::format("    met[{}] <= {};\n", i, early.conditions[i]);
  return fmt::format(
      "  // Products, what is compared with them and the choice by the opcode would not fit into "
      "one "
      "clock.\n"
      "  logic [63:0] {};\n  logic [{}:0] met;\n  always_ff @(posedge clk) begin\n{}  end\n\n",
      names, early.conditions.size() - 1, values);
}

constexpr std::string_view kBegin = R"(  always_comb begin
    procedure = PROCEDURE_NONE;
    engine = 3'(ENGINE_FASTEST);
    known = 1'b0;
    names_context = 1'b0;
    needs_context = 1'b0;
    lengths_fit = 1'b1;
    dst_bits = 64'd0;
    src0_bits = 64'd0;
    src1_bits = 64'd0;
    param_bits = 64'd0;
    src0_may_be_dst = 1'b0;
    src1_may_be_dst = 1'b0;
    case (command[7:0])
)";

constexpr std::string_view kEnd = R"(      default: ;
    endcase
  end

  logic unused;
  assign unused = &{1'b0, command};
endmodule
`default_nettype wire
)";

}  // namespace

std::string sv_register_map(const Map& map) {
  std::string out(kLicence);
  out += "// The device's registers, commands and statuses; see PROGRAMMING.md.\n";
  out += kOrigin;
  out +=
      "// Included inside modules, each of which uses some.\n// verilator lint_off UNUSEDPARAM\n";
  const auto wide = [&](std::string_view name, std::uint32_t value) {
    out += fmt::format("localparam logic [31:0] {} = 32'h{:08x};\n", name, value);
  };
  wide("MAGIC", map.magic);
  wide("VERSION", map.version);
  wide("BUILD_ID", map.build_id);
  for (const Register& r : map.registers)
    out += constant("REG", 12, r.name, r.offset) + comment(r) + "\n";
  for (const NumberTable& numbers : map.number_tables) {
    for (const Entry& entry : numbers.entries)
      out += constant(numbers.sv_prefix, numbers.sv_bits, entry.name, entry.value) + "\n";
  }
  for (const Opcode& opcode : map.opcodes) out += fields(opcode);
  return out + "// verilator lint_on UNUSEDPARAM\n";
}

std::string sv_command_rules(const Map& map) {
  std::string out(kLicence);
  out += kOrigin;
  out += kInterface;
  out += engines(map);
  Early early;
  std::string cases;
  for (const Opcode& opcode : map.opcodes) cases += rules(map, opcode, early);
  out += registers(early);
  out += kBegin;
  out += cases;
  out += kEnd;
  return out;
}

}  // namespace fhe::fpga::register_map
