// SPDX-License-Identifier: Apache-2.0
// Writes the register map for both sides: write_headers REGMAP.TOML FOLDER.
//
// FOLDER gets register_map.hpp, which the driver includes, and register_map.svh, which the modules
// of the device include. Entries keep the order of their numbers.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "accel/fpga/contract/crc32.hpp"

namespace {

struct Entry {
  std::string name;
  std::uint32_t value;
};

// A table of the map, and what its entries are in both languages. An empty C++ type: unsigned
// constants in a namespace; else an enumeration of that type, with a function `name`.
struct Section {
  std::string_view table;
  std::string_view cpp_name;
  std::string_view cpp_type;
  std::string_view sv_prefix;
  int sv_bits;
};

constexpr std::array kSections = {
    Section{"parameters", "parameter", "", "", 32},
    Section{"feature", "feature", "", "FEATURE", 32},
    Section{"ctrl", "ctrl", "", "CTRL", 32},
    Section{"device_status", "device_status", "", "DEVICE_STATUS", 32},
    Section{"irq", "irq", "", "IRQ", 32},
    Section{"counter", "counter", "", "COUNTER", 32},
    Section{"opcode", "Opcode", "std::uint8_t", "OP", 8},
    Section{"flag", "flag", "", "FLAG", 32},
    Section{"engine", "Engine", "std::uint8_t", "ENGINE", 32},
    Section{"encryption", "encryption", "", "ENCRYPTION", 32},
    Section{"descriptor", "descriptor", "", "DESCRIPTOR", 32},
    Section{"completion", "completion", "", "COMPLETION", 32},
    Section{"info", "info", "", "INFO", 32},
    Section{"status", "Status", "std::uint16_t", "STATUS", 16},
    Section{"context_record", "context_record", "", "CONTEXT", 32},
};

constexpr std::string_view kTitle =
    "// SPDX-License-Identifier: Apache-2.0\n"
    "// The device's registers, commands and statuses; see PROGRAMMING.md.\n";
constexpr std::string_view kOrigin =
    "// Written by write_headers from regmap.toml; change that file instead.\n";

template <class Node>
std::uint32_t number(const Node& node) {
  const auto value = node.template value<std::int64_t>();
  if (!value || *value < 0 || *value > 0xffff'ffff)
    throw std::runtime_error("no number of 32 bits");
  return static_cast<std::uint32_t>(*value);
}

std::vector<Entry> entries(const toml::table& map, std::string_view table) {
  const toml::table* section = map[table].as_table();
  if (section == nullptr) throw std::runtime_error(fmt::format("no table [{}]", table));
  std::vector<Entry> result;
  for (const auto& [key, node] : *section) result.push_back({std::string(key.str()), number(node)});
  std::ranges::stable_sort(result, {}, &Entry::value);
  return result;
}

struct Register {
  std::string name;
  std::uint32_t offset;
  std::string access;
  std::string text;
};

std::vector<Register> registers(const toml::table& map) {
  std::vector<Register> result;
  const toml::array* list = map["register"].as_array();
  if (list == nullptr) throw std::runtime_error("no registers");
  for (const toml::node& node : *list) {
    const toml::table& entry = *node.as_table();
    const auto text = [&](std::string_view key) { return entry[key].value_or(std::string{}); };
    result.push_back({text("name"), number(entry["offset"]), text("access"), text("text")});
  }
  std::ranges::stable_sort(result, {}, &Register::offset);
  return result;
}

std::uint32_t version(const toml::table& map) {
  const auto part = [&](std::string_view name) { return number(map["device"]["version"][name]); };
  return part("major") << 24 | part("minor") << 16 | part("patch");
}

// Of all numbers that both sides must agree on, whatever the texts say.
std::uint32_t build_id(const toml::table& map) {
  std::string canonical = fmt::format("version={}\n", version(map));
  for (const Register& r : registers(map)) canonical += fmt::format("{}={}\n", r.name, r.offset);
  for (const Section& section : kSections)
    for (const Entry& entry : entries(map, section.table))
      canonical += fmt::format("{}.{}={}\n", section.table, entry.name, entry.value);
  return fhe::fpga::crc32(std::as_bytes(std::span(canonical)));
}

std::string comment(const Register& r) {
  return r.text.empty() ? fmt::format("  // {}", r.access)
                        : fmt::format("  // {}: {}", r.access, r.text);
}

std::string cpp_constants(const Section& section, const std::vector<Entry>& list) {
  std::string out = fmt::format("namespace {} {{\n", section.cpp_name);
  for (const Entry& entry : list)
    out += fmt::format("inline constexpr std::uint32_t {} = {};\n", entry.name, entry.value);
  return out + fmt::format("}}  // namespace {}\n\n", section.cpp_name);
}

std::string cpp_enumeration(const Section& section, const std::vector<Entry>& list) {
  std::string out = fmt::format("enum class {} : {} {{\n", section.cpp_name, section.cpp_type);
  for (const Entry& entry : list) out += fmt::format("  {} = {:#04x},\n", entry.name, entry.value);
  out += fmt::format(
      "}};\n\n// \"unknown\" for a number without a name.\n"
      "constexpr std::string_view name({} value) {{\n  switch (value) {{\n",
      section.cpp_name);
  for (const Entry& entry : list)
    out +=
        fmt::format("    case {}::{}: return \"{}\";\n", section.cpp_name, entry.name, entry.name);
  return out + "  }\n  return \"unknown\";\n}\n\n";
}

std::string cpp_header(const toml::table& map) {
  std::string out = std::string(kTitle);
  out += kOrigin;
  out +=
      "// clang-format off\n#pragma once\n\n#include <cstdint>\n#include <string_view>\n\n"
      "namespace fhe::fpga {\n\n";
  out += fmt::format("inline constexpr std::uint32_t kMagic = {:#010x};\n",
                     number(map["device"]["magic"]));
  out += fmt::format("inline constexpr std::uint32_t kVersion = {:#010x};\n", version(map));
  out += fmt::format("inline constexpr std::uint32_t kBuildId = {:#010x};\n\n", build_id(map));
  out += "namespace reg {\n";
  for (const Register& r : registers(map))
    out += fmt::format("inline constexpr std::uint32_t {} = {:#05x};{}\n", r.name, r.offset,
                       comment(r));
  out += "}  // namespace reg\n\n";
  for (const Section& section : kSections) {
    const std::vector<Entry> list = entries(map, section.table);
    out += section.cpp_type.empty() ? cpp_constants(section, list) : cpp_enumeration(section, list);
  }
  return out + "}  // namespace fhe::fpga\n";
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string sv_constant(std::string_view prefix, int bits, std::string_view name,
                        std::uint32_t value) {
  const std::string type = bits == 32 ? "int" : fmt::format("logic [{}:0]", bits - 1);
  const std::string literal =
      bits == 32 ? fmt::format("{}", value) : fmt::format("{}'h{:0{}x}", bits, value, bits / 4);
  const std::string full = prefix.empty() ? upper(std::string(name))
                                          : fmt::format("{}_{}", prefix, upper(std::string(name)));
  return fmt::format("localparam {} {} = {};", type, full, literal);
}

std::string sv_header(const toml::table& map) {
  std::string out = std::string(kTitle);
  out += kOrigin;
  out +=
      "// Included inside modules, each of which uses some.\n// verilator lint_off UNUSEDPARAM\n";
  const auto wide = [&](std::string_view name, std::uint32_t value) {
    out += fmt::format("localparam logic [31:0] {} = 32'h{:08x};\n", name, value);
  };
  wide("MAGIC", number(map["device"]["magic"]));
  wide("VERSION", version(map));
  wide("BUILD_ID", build_id(map));
  for (const Register& r : registers(map))
    out += sv_constant("REG", 12, r.name, r.offset) + comment(r) + "\n";
  for (const Section& section : kSections)
    for (const Entry& entry : entries(map, section.table))
      out += sv_constant(section.sv_prefix, section.sv_bits, entry.name, entry.value) + "\n";
  return out + "// verilator lint_on UNUSEDPARAM\n";
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path);
  out << text;
  out.close();
  if (!out) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::fputs("usage: write_headers REGMAP.TOML FOLDER\n", stderr);
    return 2;
  }
  const toml::table map = toml::parse_file(argv[1]);
  const std::filesystem::path folder = argv[2];
  std::filesystem::create_directories(folder);
  write(folder / "register_map.hpp", cpp_header(map));
  write(folder / "register_map.svh", sv_header(map));
  return EXIT_SUCCESS;
} catch (const std::exception& error) {
  std::fprintf(stderr, "write_headers: %s\n", error.what());
  return EXIT_FAILURE;
}
