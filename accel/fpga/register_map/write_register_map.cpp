// SPDX-License-Identifier: Apache-2.0
// Writes what is made of the register map: write_register_map REGMAP.TOML FOLDER.
//
// FOLDER is that of the device, accel/fpga, or another one that gets the same folders.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "accel/fpga/register_map/map.hpp"
#include "accel/fpga/register_map/texts.hpp"

namespace {

std::string contents(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// What is the same already stays, so that nothing is built anew.
void write(const std::filesystem::path& path, const std::string& text) {
  if (contents(path) == text) return;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream out(path);
  out << text;
  out.close();
  if (!out) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace

int main(int argc, char** argv) try {
  using namespace fhe::fpga::register_map;
  if (argc != 3) {
    std::fputs("usage: write_register_map REGMAP.TOML FOLDER\n", stderr);
    return 2;
  }
  const Map map = read_map(argv[1]);
  const std::filesystem::path folder = argv[2];
  write(folder / "contract/register_map.hpp", cpp_register_map(map));
  write(folder / "contract/operand_commands.hpp", cpp_operand_commands(map));
  write(folder / "contract/command_rules.cpp", cpp_command_rules(map));
  write(folder / "contract/OPCODES.md", opcodes_document(map));
  write(folder / "rtl/register_map.svh", sv_register_map(map));
  write(folder / "rtl/device/command_rules.sv", sv_command_rules(map));
  return EXIT_SUCCESS;
} catch (const std::exception& error) {
  std::fprintf(stderr, "write_register_map: %s\n", error.what());
  return EXIT_FAILURE;
}
