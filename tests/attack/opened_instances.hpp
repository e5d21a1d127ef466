// SPDX-License-Identifier: Apache-2.0
// Instances of approximate common divisors that simultaneous approximation has opened, and what
// that took. The cycles are written down and not measured again, so that no test depends on the
// speed of a machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libfhe/security/problems.hpp"

namespace fhe::attack {

struct OpenedInstance {
  security::ApproximateGcd sizes;
  std::size_t samples;
  std::size_t block;   // 2 for LLL
  std::uint64_t seed;  // of planted()
  double cycles;       // log2, at 3 GHz
};

// Nothing is counted as less than 0.05 s, 2^27.2 cycles.
inline std::vector<OpenedInstance> opened_instances() {
  const auto secret = [](double rho, double gap, double length, double slots) {
    return security::ApproximateGcd{.rho = rho,
                                    .eta = rho + gap,
                                    .gamma = rho + length,
                                    .slots = slots,
                                    .modulus_public = false};
  };
  return {{secret(40, 4, 70, 1), 46, 2, 1, 27.2},    {secret(40, 5, 120, 1), 61, 2, 1, 27.2},
          {secret(40, 5, 140, 1), 66, 20, 2, 31.0},  {secret(40, 6, 200, 1), 79, 2, 1, 29.1},
          {secret(40, 6, 240, 1), 87, 20, 2, 29.9},  {secret(40, 6, 270, 1), 92, 20, 1, 32.9},
          {secret(40, 8, 340, 1), 104, 2, 1, 30.2},  {secret(40, 8, 420, 1), 115, 10, 1, 31.0},
          {secret(40, 8, 340, 4), 103, 2, 1, 30.6},  {secret(12, 6, 170, 4), 76, 10, 1, 30.6},
          {secret(20, 8, 380, 12), 107, 2, 2, 31.1}, {secret(20, 10, 600, 1), 138, 2, 1, 32.6}};
}

// Those that take from seconds to a minute: larger gaps, and more slots.
inline std::vector<OpenedInstance> long_opened_instances() {
  const auto secret = [](double gap, double length, double slots) {
    return security::ApproximateGcd{
        .rho = 14, .eta = 14 + gap, .gamma = 14 + length, .slots = slots, .modulus_public = false};
  };
  return {{secret(8, 400, 4), 130, 10, 1, 34.6},  {secret(10, 700, 1), 173, 10, 1, 33.4},
          {secret(10, 600, 12), 135, 2, 1, 32.0}, {secret(12, 850, 1), 164, 2, 1, 33.3},
          {secret(12, 900, 24), 134, 2, 1, 32.8}, {secret(14, 1000, 1), 178, 2, 1, 33.7}};
}

}  // namespace fhe::attack
