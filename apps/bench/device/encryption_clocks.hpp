// SPDX-License-Identifier: Apache-2.0
// What one encryption of each CNT group takes on the device of accel/fpga, beside the published
// designs.
#pragma once

#include <cstdint>

#include "libfhe/scheme/parameters.hpp"

namespace fhe::bench {

// Device clocks of the sum of one encryption, reduced, computed by the law that the simulated RTL
// is tested against (accel/fpga/rtl/device/README.md, "Clocks of the device").
struct EncryptionClocks {
  std::uint64_t dense = 0;   // weights of alpha bits
  std::uint64_t sparse = 0;  // weights of 15 ones below bit alpha
};

// Requires a group of CNT.
EncryptionClocks encryption_clocks(const ParameterSet& group);

// All four groups, with the time that the clocks take at the papers' frequencies.
void print_encryption_clocks();

}  // namespace fhe::bench
