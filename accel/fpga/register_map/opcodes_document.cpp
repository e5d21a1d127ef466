// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include <fmt/format.h>

#include "accel/fpga/register_map/texts.hpp"

namespace fhe::fpga::register_map {

namespace {

constexpr std::string_view kBegin = R"(# Opcodes

<!-- Written by write_register_map from regmap.toml; change that file instead. -->

What each command computes and requires. [PROGRAMMING.md](PROGRAMMING.md) says more of them, and has the order of the checks;
[regmap.toml](../register_map/regmap.toml), which this is made of, says what expressions name. The procedure is how the hardware
runs it ([there](../rtl/device/README.md)). A source may begin where DST does if the table says so, and is apart from it
elsewhere (`overlap`).

| opcode | computes | procedure | in aux and aux2 | needs (else `bad_opcode`, `no_ctx`) | requires (else `length`) | bits in memory (`bad_align`, `range`) |
|---|---|---|---|---|---|---|
)";

// As in the map.
std::string written(const Expression& expression) {
  return fmt::format("`{}`", write_expression(expression, {.symbol = std::identity{}}));
}

void append(std::string& list, const std::string& item) {
  list += (list.empty() ? "" : ", ") + item;
}

std::string fields(const Opcode& opcode) {
  std::string out;
  for (const Field& f : opcode.fields) append(out, fmt::format("{} `{}`", place(f), f.name));
  return out;
}

std::string needs(const Opcode& opcode) {
  std::string out;
  if (opcode.needs.front().text != "true") append(out, written(opcode.needs));
  if (opcode.names_context.front().text != "false") append(out, "a context");
  const std::string set = "a context that is set";
  if (opcode.needs_context.front().text == "true") {
    append(out, set);
  } else if (opcode.needs_context.front().text != "false") {
    append(out, fmt::format("{} if {}", set, written(opcode.needs_context)));
  }
  return out;
}

std::string conditions(const Opcode& opcode) {
  std::string out;
  for (const Expression& condition : opcode.conditions) append(out, written(condition));
  return out;
}

std::string memory(const Opcode& opcode) {
  std::string out;
  const auto add = [&](std::string_view name, const Expression& bits, bool may_be_dst) {
    if (bits.size() != 1 || bits.front().text != "0")
      append(out, fmt::format("{} {}{}", name, written(bits), may_be_dst ? " (may be DST)" : ""));
  };
  add("DST", opcode.dst, false);
  add("SRC0", opcode.src0, opcode.src0_may_be_dst);
  add("SRC1", opcode.src1, opcode.src1_may_be_dst);
  add("PARAM", opcode.param, false);
  return out;
}

}  // namespace

std::string opcodes_document(const Map& map) {
  std::string out(kBegin);
  for (const Opcode& opcode : map.opcodes) {
    out += fmt::format("| `{}` {:#04x} | {} | {} | {} | {} | {} | {} |\n", opcode.name,
                       opcode.number, opcode.computes, opcode.procedure, fields(opcode),
                       needs(opcode), conditions(opcode), memory(opcode));
  }
  return out;
}

}  // namespace fhe::fpga::register_map
