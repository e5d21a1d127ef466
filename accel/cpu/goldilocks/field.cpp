// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/goldilocks/field.hpp"

#include <bit>

namespace fhe::cpu::goldilocks {

namespace {

constexpr std::uint64_t kGenerator = 7;  // of the multiplicative group
constexpr int kTwoPower = 32;            // 2^32 divides p - 1, 2^33 does not

// A root of order 2^32 whose 2^26-th power is 2^3: an odd power of any root of that order.
std::uint64_t root_of_two_power_order() {
  const std::uint64_t any = power(kGenerator, (kPrime - 1) >> kTwoPower);
  std::uint64_t root = any;
  while (power(root, std::uint64_t{1} << (kTwoPower - 6)) != 8) {
    root = multiply(root, multiply(any, any));
  }
  return root;
}

}  // namespace

std::uint64_t root_of_unity(std::uint64_t points) {
  const int k = std::countr_zero(points);
  const std::uint64_t odd = points >> k;
  const std::uint64_t root = power(root_of_two_power_order(), std::uint64_t{1} << (kTwoPower - k));
  if (odd == 1) return root;
  // root^x * w^y with w = 2^64 of order 3, 3 x = 1 modulo 2^k and 2^k y = 1 modulo 3.
  const std::uint64_t mask = (std::uint64_t{1} << k) - 1;
  std::uint64_t x = 3;  // Newton: doubles the number of correct low bits
  for (int step = 0; step < 6; ++step) x *= 2 - 3 * x;
  const std::uint64_t y = k % 2 == 0 ? 1 : 2;
  return multiply(power(root, x & mask), power(kEpsilon, y));
}

}  // namespace fhe::cpu::goldilocks
