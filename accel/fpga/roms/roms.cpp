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

// Of the longest transform in four steps, and words of its lower powers.
constexpr std::uint64_t kColumnPoints = std::uint64_t{1} << 21;
constexpr std::uint64_t kLowPowers = 2048;

// What the radix-16 and radix-64 units and multiplier768 take for granted.
void check_root(std::uint64_t root) {
  const bool order = power(root, kPoints / 2) == kPrime - 1;
  const bool radix16 = power(root, kWords) == std::uint64_t{1} << 12;
  const bool radix64 = power(root, kPoints / 64) == std::uint64_t{1} << 3;
  const bool points = inverse(kPoints) == 0xfffe'ffff'0001'0001;
  if (!order || !radix16 || !radix64 || !points)
    throw std::logic_error("the root of unity is a wrong one");
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

// The bits of a number below 16 in reverse order.
std::uint64_t reversed(std::uint64_t x) {
  return (x & 1) << 3 | (x & 2) << 1 | (x & 4) >> 1 | x >> 3;
}

// root^e of every exponent, then their inverses times a scale; `powers` are all of the root's.
Words both_ways(const Words& powers, const std::vector<std::uint64_t>& exponents,
                std::uint64_t scale) {
  Words words;
  for (const std::uint64_t e : exponents) words.push_back(powers[e]);
  for (const std::uint64_t e : exponents)
    words.push_back(multiply(scale, powers[(kPoints - e) % kPoints]));
  return words;
}

// Between the passes of multiplier_throughput.
void add_passes(std::map<std::string, Words>& files, const Words& powers, std::uint64_t lane) {
  std::vector<std::uint64_t> first;
  for (std::uint64_t clock = 0; clock < kPoints / kRadix; ++clock)
    first.push_back(reversed(clock / 256) * (clock % 256 * kRadix + lane));
  std::vector<std::uint64_t> second;
  Words weight;  // of points that are 64 later
  for (std::uint64_t clock = 0; clock < 256; ++clock) {
    const std::uint64_t step = 16 * (clock / 64 + 4 * (clock / 4 % 16));
    second.push_back(step * (clock % 4 * kRadix + lane));
    weight.push_back(powers[(second.back() + 64 * step) % kPoints]);
  }
  files[file_name("first", lane)] = both_ways(powers, first, 1);
  files[file_name("second", lane)] = both_ways(powers, second, inverse(4096));
  files[file_name("weight", lane)] = weight;
}

// The factors of the four steps: powers of the root of order kColumnPoints, in two parts.
void add_powers(std::map<std::string, Words>& files) {
  const std::uint64_t root = root_of_unity(kColumnPoints);
  if (power(root, kColumnPoints / kPoints) != root_of_unity(kPoints))
    throw std::logic_error("the roots of unity do not go together");
  files["powers_low.hex"] = geometric(kLowPowers, 1, root);
  files["powers_high.hex"] = geometric(kColumnPoints / kLowPowers, 1, power(root, kLowPowers));
}

}  // namespace

std::map<std::string, std::vector<std::uint64_t>> rom_contents() {
  const std::uint64_t root = root_of_unity(kPoints);
  check_root(root);
  std::map<std::string, Words> files;
  for (std::uint64_t k = 1; k < kRadix; ++k) files[file_name("lane", k)] = lane(root, k);
  for (std::uint64_t stage = kFirstStage; stage <= kLastStage; ++stage)
    add_stage(files, root, stage);
  const Words powers = geometric(kPoints, 1, root);
  for (std::uint64_t k = 0; k < kRadix; ++k) add_passes(files, powers, k);
  add_powers(files);
  return files;
}

}  // namespace fhe::fpga
