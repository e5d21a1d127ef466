// SPDX-License-Identifier: Apache-2.0
// Backend::fermat_test(): a number in each lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "accel/cpu/kernel.hpp"
#include "libfhe/arith/fermat_test.hpp"

namespace fhe::cpu {

// Powers of 2 modulo many odd numbers, each number in a lane of its own. Vectors are those of eight
// lanes; where registers have four, a vector is two of them.

// Up to so many numbers side by side, in vectors of eight lanes.
inline constexpr std::size_t kFermatLanes = 8;
inline constexpr std::size_t kMaxFermatVectors = 4;

// Longest numbers, in digits of 52 bits.
inline constexpr std::size_t kMaxFermatDigits = 64;

// Up to so many digits there is code for each length, which keeps digits in registers.
inline constexpr std::size_t kMaxUnrolledDigits = 12;

// Vectors of numbers of so many digits that are worked on at once: with one alone, short numbers
// would wait for each product, and more of them need more registers than there are. Found by trial.
[[nodiscard]] constexpr std::size_t fermat_vectors(std::size_t digits) {
  if (digits <= 3) return kMaxFermatVectors;
  if (digits <= 6) return 3;
  return digits <= kMaxUnrolledDigits ? 2 : 1;
}

// Whether 2^(n-1) = 1 mod n, for each of the kFermatLanes * fermat_vectors(digits) odd numbers n of
// exactly `bits` bits, 52 (digits - 1) < bits <= 52 digits, as a bit for each lane: Montgomery's
// product with R = 2^(52 digits), the exponent from its highest bit on. Digit i of lane l of vector
// v is at (v * digits + i) * kFermatLanes + l, aligned to 64 bytes. Neither time nor memory
// accesses depend on the numbers.
using FermatLanes = std::uint32_t (*)(const std::uint64_t* numbers, std::size_t digits,
                                      std::size_t bits);

// To be called only where the processor has the instructions.
std::uint32_t ifma_fermat_lanes(const std::uint64_t* numbers, std::size_t digits, std::size_t bits);
std::uint32_t avxifma_fermat_lanes(const std::uint64_t* numbers, std::size_t digits,
                                   std::size_t bits);

// Whether a kernel has vector code for it.
bool has_fermat_test(Kernel kernel);

// Requires bits >= 2 and that the kernel is available. Nothing for numbers that are too long for
// the vector code, or where there is none.
std::unique_ptr<FermatTest> fermat_test(std::size_t bits, Kernel kernel);

}  // namespace fhe::cpu
