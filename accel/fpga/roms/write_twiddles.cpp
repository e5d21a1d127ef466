// Writes the contents of the twiddle ROMs, read by rtl/twiddle_rom.sv: write_twiddles FOLDER.
//
// For multiplier768, lane_01.hex .. lane_15.hex: in file k the word e is w^(k e), and the word 4096
// + e is w^(-k e), for e < 4096, with w the root of order 65,536 of the software engine.
//
// For low_latency_multiplier, with N = 2^s and v = w^(65536 / N), of order N; words i < N / 2:
//   serial_forward_<s>.hex, s = 2 .. 13: v^r, r the s - 1 bits of i in reverse order
//   serial_inverse_<s>.hex, s = 2 .. 12: v^(-i)
//   serial_divided_<s>.hex, s = 8 .. 13: v^(-i) / N
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

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

// Stages of the serial transforms with factors, and the last stages of the shortest and the longest
// one.
constexpr std::uint64_t kFirstStage = 2;
constexpr std::uint64_t kFirstLastStage = 8;
constexpr std::uint64_t kLastStage = 13;

// What the radix-16 units and multiplier768 take for granted.
void check_root(std::uint64_t root) {
  const bool order = power(root, kPoints / 2) == kPrime - 1;
  const bool radix16 = power(root, kWords) == std::uint64_t{1} << 12;
  const bool points = inverse(kPoints) == 0xfffe'ffff'0001'0001;
  if (!order || !radix16 || !points) throw std::logic_error("the root of unity is a wrong one");
}

using Words = std::vector<std::uint64_t>;

// first, first factor, first factor^2, ..
Words geometric(std::size_t count, std::uint64_t first, std::uint64_t factor) {
  Words words(count, first);
  for (std::size_t i = 1; i < count; ++i) words[i] = multiply(words[i - 1], factor);
  return words;
}

// The words in the order of their indices with the bits reversed; a power of two of them.
Words bit_reversed(const Words& words) {
  Words result = words;
  for (std::size_t i = 0, reversed = 0; i < words.size(); ++i) {
    result[i] = words[reversed];
    std::size_t bit = words.size() / 2;
    for (; (reversed & bit) != 0; bit /= 2) reversed -= bit;
    reversed += bit;
  }
  return result;
}

// FOLDER/<kind>_<two digits>.hex
class Folder {
 public:
  explicit Folder(std::filesystem::path path) : path_(std::move(path)) {
    std::filesystem::create_directories(path_);
  }

  void write(const std::string& kind, std::uint64_t number, const Words& words) const {
    const std::filesystem::path path =
        path_ / (kind + (number < 10 ? "_0" : "_") + std::to_string(number) + ".hex");
    std::ofstream out(path);
    out << std::hex << std::setfill('0');
    for (const std::uint64_t word : words) out << std::setw(16) << word << '\n';
    out.close();
    if (!out) throw std::runtime_error("cannot write " + path.string());
  }

 private:
  std::filesystem::path path_;
};

void write_lane(const Folder& folder, std::uint64_t root, std::uint64_t lane) {
  const std::uint64_t factor = power(root, lane);
  Words words = geometric(kWords, 1, factor);
  const Words backward = geometric(kWords, 1, inverse(factor));
  words.insert(words.end(), backward.begin(), backward.end());
  folder.write("lane", lane, words);
}

void write_stage(const Folder& folder, std::uint64_t root, std::uint64_t stage) {
  const std::uint64_t points = std::uint64_t{1} << stage;
  const std::uint64_t factor = power(root, kPoints / points);
  const std::uint64_t backward = inverse(factor);
  folder.write("serial_forward", stage, bit_reversed(geometric(points / 2, 1, factor)));
  if (stage < kLastStage) folder.write("serial_inverse", stage, geometric(points / 2, 1, backward));
  if (stage >= kFirstLastStage)
    folder.write("serial_divided", stage, geometric(points / 2, inverse(points), backward));
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fputs("usage: write_twiddles FOLDER\n", stderr);
    return 2;
  }
  const Folder folder(argv[1]);
  const std::uint64_t root = root_of_unity(kPoints);
  check_root(root);
  for (std::uint64_t lane = 1; lane < kRadix; ++lane) write_lane(folder, root, lane);
  for (std::uint64_t stage = kFirstStage; stage <= kLastStage; ++stage)
    write_stage(folder, root, stage);
  return EXIT_SUCCESS;
} catch (const std::exception& error) {
  std::fprintf(stderr, "write_twiddles: %s\n", error.what());
  return EXIT_FAILURE;
}
