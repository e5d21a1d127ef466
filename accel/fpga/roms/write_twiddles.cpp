// Writes the contents of the twiddle ROMs: write_twiddles FOLDER.
//
// lane_01.hex .. lane_15.hex, read by rtl/twiddle_rom.sv: in file k the word e is w^(k e), and the
// word 4096 + e is w^(-k e), for e < 4096, with w the root of order 65,536 of the software engine.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <stdexcept>
#include <string>

#include "accel/solinas/goldilocks/field.hpp"
#include "accel/solinas/goldilocks/prime.hpp"

namespace {

using fhe::solinas::goldilocks::inverse;
using fhe::solinas::goldilocks::kPrime;
using fhe::solinas::goldilocks::multiply;
using fhe::solinas::goldilocks::power;
using fhe::solinas::goldilocks::root_of_unity;

constexpr std::uint64_t kPoints = 65536;
constexpr std::uint64_t kRadix = 16;
constexpr std::uint64_t kWords = kPoints / kRadix;

// What the radix-16 units and multiplier768 take for granted.
void check_root(std::uint64_t root) {
  const bool order = power(root, kPoints / 2) == kPrime - 1;
  const bool radix16 = power(root, kWords) == std::uint64_t{1} << 12;
  const bool points = inverse(kPoints) == 0xfffe'ffff'0001'0001;
  if (!order || !radix16 || !points) throw std::logic_error("the root of unity is a wrong one");
}

void write_powers(std::ostream& out, std::uint64_t factor) {
  std::uint64_t value = 1;
  for (std::uint64_t e = 0; e < kWords; ++e) {
    out << std::setw(16) << value << '\n';
    value = multiply(value, factor);
  }
}

void write_lane(const std::filesystem::path& folder, std::uint64_t root, std::uint64_t lane) {
  const std::filesystem::path path =
      folder / ((lane < 10 ? "lane_0" : "lane_") + std::to_string(lane) + ".hex");
  std::ofstream out(path);
  out << std::hex << std::setfill('0');
  const std::uint64_t factor = power(root, lane);
  write_powers(out, factor);
  write_powers(out, inverse(factor));
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
  const std::uint64_t root = root_of_unity(kPoints);
  check_root(root);
  for (std::uint64_t lane = 1; lane < kRadix; ++lane) write_lane(folder, root, lane);
  return EXIT_SUCCESS;
} catch (const std::exception& error) {
  std::fprintf(stderr, "write_twiddles: %s\n", error.what());
  return EXIT_FAILURE;
}
