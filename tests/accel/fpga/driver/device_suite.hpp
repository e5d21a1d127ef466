// SPDX-License-Identifier: Apache-2.0
// What every device must compute, whatever the way to it: each command against GMP.
#pragma once

#include <cstdint>
#include <vector>

#include "accel/fpga/driver/device.hpp"

namespace fhe::fpga::test {

// How much a device is asked for.
struct SuiteSize {
  std::vector<std::uint32_t> lengths;       // bits; every pair of them is taken
  std::vector<std::uint32_t> long_lengths;  // bits; products of blocks
  std::uint32_t modulus_bits;
};

// Lengths at the edges of words and blocks.
[[nodiscard]] SuiteSize quick_suite();
// The same where a register access is slow.
[[nodiscard]] SuiteSize small_suite();

// Every command, at these lengths, in Catch2's checks.
void check_commands(Device& device, const SuiteSize& size);

}  // namespace fhe::fpga::test
