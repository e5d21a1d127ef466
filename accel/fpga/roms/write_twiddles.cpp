// Writes the contents of the twiddle ROMs: write_twiddles FOLDER.
//
// lane_01.hex .. lane_15.hex, read by rtl/twiddle_rom.sv.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <stdexcept>
#include <string>

#include "accel/fpga/roms/twiddles.hpp"

namespace {

void write_lane(const std::filesystem::path& folder, int lane) {
  const std::filesystem::path path =
      folder / ((lane < 10 ? "lane_0" : "lane_") + std::to_string(lane) + ".hex");
  std::ofstream out(path);
  out << std::hex << std::setfill('0');
  for (const std::uint64_t word : fhe::fpga::twiddles(lane)) out << std::setw(16) << word << '\n';
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
  for (int lane = 1; lane < fhe::fpga::kTwiddleLanes; ++lane) write_lane(folder, lane);
  return EXIT_SUCCESS;
} catch (const std::exception& error) {
  std::fprintf(stderr, "write_twiddles: %s\n", error.what());
  return EXIT_FAILURE;
}
