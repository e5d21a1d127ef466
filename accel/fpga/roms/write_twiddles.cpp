// SPDX-License-Identifier: Apache-2.0
// Writes the contents of the twiddle ROMs, one file each: write_twiddles FOLDER.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <stdexcept>
#include <vector>

#include "accel/fpga/roms/roms.hpp"

namespace {

void write(const std::filesystem::path& path, const std::vector<std::uint64_t>& words) {
  std::ofstream out(path);
  out << std::hex << std::setfill('0');
  for (const std::uint64_t word : words) out << std::setw(16) << word << '\n';
  out.close();
  if (!out) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fputs("usage: write_twiddles FOLDER\n", stderr);
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  for (const auto& [name, words] : fhe::fpga::rom_contents()) write(folder / name, words);
  return EXIT_SUCCESS;
} catch (const std::exception& error) {
  std::fprintf(stderr, "write_twiddles: %s\n", error.what());
  return EXIT_FAILURE;
}
