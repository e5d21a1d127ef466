// SPDX-License-Identifier: Apache-2.0
// The files that are made of the map.
#pragma once

#include <string>
#include <string_view>

#include "accel/fpga/register_map/map.hpp"

namespace fhe::fpga::register_map {

constexpr std::string_view kLicence = "// SPDX-License-Identifier: Apache-2.0\n";
constexpr std::string_view kOrigin =
    "// Written by write_register_map from regmap.toml; change that file instead.\n";

// What follows the number of a register.
[[nodiscard]] std::string comment(const Register& r);
// "aux[7:4]" or "aux[1]"
[[nodiscard]] std::string place(const Field& f);

// contract/register_map.hpp, contract/operand_commands.hpp, contract/command_rules.cpp
[[nodiscard]] std::string cpp_register_map(const Map& map);
[[nodiscard]] std::string cpp_operand_commands(const Map& map);
[[nodiscard]] std::string cpp_command_rules(const Map& map);

// rtl/register_map.svh, rtl/device/command_rules.sv
[[nodiscard]] std::string sv_register_map(const Map& map);
[[nodiscard]] std::string sv_command_rules(const Map& map);

// contract/OPCODES.md
[[nodiscard]] std::string opcodes_document(const Map& map);

}  // namespace fhe::fpga::register_map
