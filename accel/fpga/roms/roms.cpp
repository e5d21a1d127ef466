// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/roms/roms.hpp"

#include <cstddef>
#include <stdexcept>
#include <utility>

#include "accel/cpu/goldilocks/field.hpp"
#include "accel/cpu/goldilocks/prime.hpp"

namespace fhe::fpga {

namespace {

using cpu::goldilocks::inverse;
using cpu::goldilocks::kPrime;
using cpu::goldilocks::multiply;
using cpu::goldilocks::power;
using cpu::goldilocks::root_of_unity;

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

// <kind>_<two digits>.hex
std::string file_name(const std::string& kind, std::uint64_t number) {
  return kind + (number < 10 ? "_0" : "_") + std::to_string(number) + ".hex";
}

Words lane(std::uint64_t root, std::uint64_t number) {
  const std::uint64_t factor = power(root, number);
  Words words = geometric(kWords, 1, factor);
  const Words backward = geometric(kWords, 1, inverse(factor));
  words.insert(words.end(), backward.begin(), backward.end());
  return words;
}

void add_stage(std::map<std::string, Words>& files, std::uint64_t root, std::uint64_t stage) {
  const std::uint64_t points = std::uint64_t{1} << stage;
  const std::uint64_t factor = power(root, kPoints / points);
  const std::uint64_t backward = inverse(factor);
  files[file_name("serial_forward", stage)] = bit_reversed(geometric(points / 2, 1, factor));
  if (stage < kLastStage)
    files[file_name("serial_inverse", stage)] = geometric(points / 2, 1, backward);
  if (stage >= kFirstLastStage)
    files[file_name("serial_divided", stage)] = geometric(points / 2, inverse(points), backward);
}

}  // namespace

std::map<std::string, std::vector<std::uint64_t>> rom_contents() {
  const std::uint64_t root = root_of_unity(kPoints);
  check_root(root);
  std::map<std::string, Words> files;
  for (std::uint64_t k = 1; k < kRadix; ++k) files[file_name("lane", k)] = lane(root, k);
  for (std::uint64_t stage = kFirstStage; stage <= kLastStage; ++stage)
    add_stage(files, root, stage);
  return files;
}

}  // namespace fhe::fpga
