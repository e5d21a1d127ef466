// SPDX-License-Identifier: Apache-2.0
// What one recryption takes on the device of accel/fpga, which does it alone.
#pragma once

#include <cstdint>

#include "accel/fpga/contract/equipment.hpp"
#include "libfhe/scheme/parameters.hpp"

namespace fhe::bench {

// Device clocks of the program of one recryption, by the law that the simulated RTL is tested
// against, on a device with this equipment, which runs programs. Requires a group of CNT, of
// CMNT by digits, or of GH.
std::uint64_t recryption_clocks(const ParameterSet& group, const fpga::Equipment& equipment);

// A table of them for all groups, on each device that is simulated and recrypts alone.
void print_recryption_clocks();

}  // namespace fhe::bench
