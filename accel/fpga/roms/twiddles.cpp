#include "accel/fpga/roms/twiddles.hpp"

#include <stdexcept>

#include "accel/solinas/goldilocks/field.hpp"
#include "accel/solinas/goldilocks/prime.hpp"

namespace fhe::fpga {

namespace {

using solinas::goldilocks::inverse;
using solinas::goldilocks::kPrime;
using solinas::goldilocks::multiply;
using solinas::goldilocks::power;
using solinas::goldilocks::root_of_unity;

constexpr std::uint64_t kPoints = kTwiddleLanes * kTwiddlesPerDirection;

// What the radix-16 units and multiplier768 take for granted.
void check_root(std::uint64_t root) {
  const bool order = power(root, kPoints / 2) == kPrime - 1;
  const bool radix16 = power(root, kTwiddlesPerDirection) == std::uint64_t{1} << 12;
  const bool points = inverse(kPoints) == 0xfffe'ffff'0001'0001;
  if (!order || !radix16 || !points) throw std::logic_error("the root of unity is a wrong one");
}

void append_powers(std::vector<std::uint64_t>& words, std::uint64_t factor) {
  std::uint64_t value = 1;
  for (std::size_t e = 0; e < kTwiddlesPerDirection; ++e) {
    words.push_back(value);
    value = multiply(value, factor);
  }
}

}  // namespace

std::vector<std::uint64_t> twiddles(int lane) {
  const std::uint64_t root = root_of_unity(kPoints);
  check_root(root);
  const std::uint64_t factor = power(root, static_cast<std::uint64_t>(lane));
  std::vector<std::uint64_t> words;
  words.reserve(2 * kTwiddlesPerDirection);
  append_powers(words, factor);
  append_powers(words, inverse(factor));
  return words;
}

}  // namespace fhe::fpga
