// SPDX-License-Identifier: Apache-2.0
// What a product of polynomials costs on the hardware of this folder, in clocks. Simulations check
// that (tests/accel/polynomials).
#pragma once

#include <cstddef>
#include <cstdint>

namespace fhe::karatsuba {

// Levels of a subtree for operands of `size` coefficients: log2(size / 4). Requires a power of two,
// at least 8.
constexpr unsigned subtree_levels(std::size_t size) {
  unsigned levels = 0;
  for (std::size_t left = size / 4; left > 1; left /= 2) ++levels;
  return levels;
}

// Clocks from one product of a stream to the next: 3^(log2(size) - 2), those of the leaves of a
// subtree.
constexpr std::uint64_t clocks_between_products(std::size_t size) {
  std::uint64_t clocks = 1;
  for (unsigned level = 0; level < subtree_levels(size); ++level) clocks *= 3;
  return clocks;
}

// Clocks from the first beat of a single product to its last beat, on hardware for operands of up
// to `largest_size` coefficients of `bits` bits: those of the leaves, and those of the way down and
// up, where the product of a leaf takes four clocks more when it consists of more than one limb.
constexpr std::uint64_t clocks_of_one_product(std::size_t size, std::size_t largest_size,
                                              std::size_t bits) {
  return clocks_between_products(size) + 13 + 7 * subtree_levels(largest_size) +
         (bits > 64 ? 4 : 0);
}

}  // namespace fhe::karatsuba
