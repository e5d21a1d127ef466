// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

#include "accel/fpga/register_map/texts.hpp"

namespace fhe::fpga::register_map {

namespace {

std::string constants(const NumberTable& numbers) {
  std::string out = fmt::format("namespace {} {{\n", numbers.cpp_name);
  for (const Entry& entry : numbers.entries)
    out += fmt::format("inline constexpr std::uint32_t {} = {};\n", entry.name, entry.value);
  return out + fmt::format("}}  // namespace {}\n\n", numbers.cpp_name);
}

std::string enumeration(const NumberTable& numbers) {
  std::string out = fmt::format("enum class {} : {} {{\n", numbers.cpp_name, numbers.cpp_type);
  for (const Entry& entry : numbers.entries)
    out += fmt::format("  {} = {:#04x},\n", entry.name, entry.value);
  out += fmt::format(
      "}};\n\n// \"unknown\" for a number without a name.\n"
      "constexpr std::string_view name({} value) {{\n  switch (value) {{\n",
      numbers.cpp_name);
  for (const Entry& entry : numbers.entries) {
    out +=
        fmt::format("    case {}::{}: return \"{}\";\n", numbers.cpp_name, entry.name, entry.name);
  }
  return out + "  }\n  return \"unknown\";\n}\n\n";
}

std::string all_opcodes(const Map& map) {
  std::string out = "inline constexpr std::array kOpcodes = {\n";
  for (const Opcode& opcode : map.opcodes) out += fmt::format("    Opcode::{},\n", opcode.name);
  return out + "};\n\n";
}

std::string fields(const Map& map) {
  std::string out = "// Parts of aux and aux2.\n";
  for (const Opcode& opcode : map.opcodes) {
    if (opcode.fields.empty()) continue;
    out += fmt::format("namespace field::{} {{\n", opcode.name);
    for (const Field& f : opcode.fields) {
      out += fmt::format("inline constexpr Field {}{{{}, {}}};  // of {}\n", f.name, f.low,
                         f.bits(), f.word);
    }
    out += fmt::format("}}  // namespace field::{}\n", opcode.name);
  }
  return out + "\n";
}

std::string expression(const Map& map, const Opcode& opcode, const Expression& e) {
  const auto name = [&](const std::string& text) {
    if (const Field* f = opcode.field(text)) {
      const std::string_view part = f->bits() == 1 ? "is_set_in" : "of";
      return fmt::format("field::{}::{}.{}({})", opcode.name, text, part, f->word);
    }
    const std::string_view feature = feature_of(text);
    if (!feature.empty()) return fmt::format("equipment.has(feature::{})", feature);
    if (text == "words") return std::string("words_for_bits");
    return map.has("parameters", text) ? fmt::format("Number{{parameter::{}}}", text) : text;
  };
  const auto number = [](const std::string& text) { return fmt::format("Number{{{}}}", text); };
  return write_expression(e, {.number = number, .name = name});
}

std::string conditions(const Map& map, const Opcode& opcode) {
  std::string out;
  for (const Expression& condition : opcode.conditions) {
    out += (out.empty() ? "" : ",\n                             ") +
           expression(map, opcode, condition);
  }
  return "{" + out + "}";
}

// Without what has its initial value.
std::string rules(const Map& map, const Opcode& opcode) {
  std::string out = fmt::format("    case Opcode::{}:\n      return {{.procedure = Procedure::{}",
                                opcode.name, opcode.procedure);
  const auto assign = [&](std::string_view member, const std::string& value,
                          std::string_view initial) {
    if (value != initial) out += fmt::format(",\n              .{} = {}", member, value);
  };
  const auto written = [&](const Expression& e) { return expression(map, opcode, e); };
  const auto source = [&](const Expression& bits, bool may_be_destination) {
    return fmt::format("{{{}, {}}}", written(bits), may_be_destination);
  };
  assign("is_known", written(opcode.needs), "false");
  assign("names_context", written(opcode.names_context), "false");
  assign("needs_context", written(opcode.needs_context), "false");
  assign("conditions", conditions(map, opcode), "{}");
  assign("destination_bits", written(opcode.dst), "Number{0}");
  assign("source0", source(opcode.src0, opcode.src0_may_be_dst), "{Number{0}, false}");
  assign("source1", source(opcode.src1, opcode.src1_may_be_dst), "{Number{0}, false}");
  assign("parameter_bits", written(opcode.param), "Number{0}");
  return out + "};\n";
}

// An operand of a function: its parameter, and the member of Command that it becomes.
struct Operand {
  std::string_view name;
  std::string_view type;
  std::string_view parameter;
  std::string_view member;
};

constexpr std::array kOperands = {
    Operand{"dst", "DeviceInteger", "destination", "destination"},
    Operand{"src0", "DeviceInteger", "x", "source0"},
    Operand{"src1", "DeviceInteger", "y", "source1"},
    Operand{"aux", "std::uint16_t", "aux", "aux"},
    Operand{"context", "std::uint16_t", "context", "context"},
};

const Operand& operand_of(const Argument& argument) {
  const auto* found = std::ranges::find(kOperands, argument.operand, &Operand::name);
  if (found == kOperands.end())
    throw std::runtime_error(fmt::format("{} is no operand", argument.operand));
  return *found;
}

bool is_address(const Argument& argument) {
  return !argument.name.empty() && operand_of(argument).type == "DeviceInteger";
}

std::string parameter_name(const Argument& argument) {
  return argument.name.empty() ? std::string(operand_of(argument).parameter) : argument.name;
}

std::string function(const Opcode& opcode) {
  std::string parameters;
  for (const Argument& a : opcode.arguments) {
    parameters +=
        fmt::format("{}{} {}", parameters.empty() ? "" : ", ",
                    is_address(a) ? "std::uint64_t" : operand_of(a).type, parameter_name(a));
  }
  std::string out = fmt::format(
      "// {}\n[[nodiscard]] inline Command {}({}) {{\n"
      "  Command command{{.opcode = Opcode::{}}};\n",
      opcode.computes, opcode.function, parameters, opcode.name);
  for (const Argument& a : opcode.arguments) {
    out += fmt::format("  command.{}{} = {};\n", operand_of(a).member,
                       is_address(a) ? ".address" : "", parameter_name(a));
  }
  return out + "  return command;\n}\n\n";
}

}  // namespace

std::string cpp_register_map(const Map& map) {
  std::string out(kLicence);
  out += "// The device's registers, commands and statuses; see PROGRAMMING.md.\n";
  out += kOrigin;
  out +=
      "// clang-format off\n#pragma once\n\n#include <array>\n#include <cstdint>\n"
      "#include <string_view>\n\n#include \"accel/fpga/contract/field.hpp\"\n\n"
      "// Names are those of the map.\n// NOLINTBEGIN(readability-identifier-naming)\n"
      "namespace fhe::fpga {\n\n";
  out += fmt::format("inline constexpr std::uint32_t kMagic = {:#010x};\n", map.magic);
  out += fmt::format("inline constexpr std::uint32_t kVersion = {:#010x};\n", map.version);
  out += fmt::format("inline constexpr std::uint32_t kBuildId = {:#010x};\n\n", map.build_id);
  out += "namespace reg {\n";
  for (const Register& r : map.registers) {
    out += fmt::format("inline constexpr std::uint32_t {} = {:#05x};{}\n", r.name, r.offset,
                       comment(r));
  }
  out += "}  // namespace reg\n\n";
  for (const NumberTable& numbers : map.number_tables)
    out += numbers.cpp_type.empty() ? constants(numbers) : enumeration(numbers);
  return out + all_opcodes(map) + fields(map) +
         "}  // namespace fhe::fpga\n// NOLINTEND(readability-identifier-naming)\n";
}

std::string cpp_operand_commands(const Map& map) {
  std::string out(kLicence);
  out += "// Commands on operands that the descriptor names; OPCODES.md has what they require.\n";
  out += kOrigin;
  out +=
      "// clang-format off\n#pragma once\n\n#include <cstdint>\n\n"
      "#include \"accel/fpga/contract/descriptor.hpp\"\n\nnamespace fhe::fpga {\n\n";
  for (const Opcode& opcode : map.opcodes)
    if (!opcode.function.empty()) out += function(opcode);
  return out + "}  // namespace fhe::fpga\n";
}

std::string cpp_command_rules(const Map& map) {
  std::string out(kLicence);
  out += kOrigin;
  out += R"(// clang-format off
#include "accel/fpga/contract/command_rules.hpp"

#include "accel/fpga/contract/words.hpp"

namespace fhe::fpga {

// Each opcode has its case, even where two have the same rules.
// NOLINTBEGIN(bugprone-branch-clone)
CommandRules rules_of(const Command& command, const Equipment& equipment,
                      const BarrettShape& shape) {
  using Number = std::uint64_t;
  const Number len0 = command.source0.bits;
  const Number len1 = command.source1.bits;
  const Number lend = command.destination.bits;
  const Number aux = command.aux;
  const Number aux2 = command.aux2;
  const Number phi = shape.phi;
  const Number gamma = shape.gamma;
  const Number log2_coefficients = equipment.log2_coefficients();
  const Number coefficient_bits = equipment.coefficient_bits();
  const auto has_engine = [&](Number number) {
    return equipment.has(static_cast<Engine>(number));
  };
  switch (command.opcode) {
)";
  for (const Opcode& opcode : map.opcodes) out += rules(map, opcode);
  return out +
         "  }\n  return {};\n}\n// NOLINTEND(bugprone-branch-clone)\n\n}  // namespace fhe::fpga\n";
}

}  // namespace fhe::fpga::register_map
