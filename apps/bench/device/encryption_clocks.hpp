// SPDX-License-Identifier: Apache-2.0
// What one encryption takes on the device of accel/fpga and on its super-size multiplier, at the
// sizes of the papers and at the frequencies that they state, which are all here.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "accel/fpga/model/super_size_clocks.hpp"
#include "apps/bench/results.hpp"
#include "libfhe/scheme/parameters.hpp"

namespace fhe::bench {

// The clock of the device, which has never been on a board: the lowest of those that its papers
// state for its engines, that of the low-latency multiplier of 256 points (Cao et al. 2016, Table
// 2). The device has one clock, so the sparse multiplier runs at it too (175.68 MHz in Table 5),
// and the 768K multiplier (200 MHz in Wang et al. 2014, Table IV).
inline constexpr double kDeviceHertz = 161.276e6;

// Device clocks of the sum of one encryption, reduced, computed by the law that the simulated RTL
// is tested against (accel/fpga/rtl/device/README.md, "Clocks of the device").
struct EncryptionClocks {
  std::uint64_t dense = 0;       // weights of alpha bits
  std::uint64_t sparse = 0;      // weights of 15 ones below bit alpha
  std::uint64_t throughput = 0;  // dense ones, on the device with the throughput multiplier
};

// Requires a group of CNT.
EncryptionClocks encryption_clocks(const ParameterSet& group);

// A multiplier of the paper on super-size multipliers, as its Table 4 states it.
struct SuperSizeDesign {
  std::string_view name;  // of the design in params/published.toml
  double hertz;
  fpga::SuperSizeShape shape;
};
inline constexpr std::array<SuperSizeDesign, 4> kSuperSizeDesigns{
    {{"64-point FFT multiplier, modulus 2^32 + 1", 304.990e6, {.points = 64, .digit = 8}},
     {"64-point FFT multiplier, modulus 2^32 - 2^20 + 1", 254.065e6, {.points = 64, .digit = 12}},
     {"128-point FFT multiplier, modulus 2^64 + 1", 179.346e6, {.points = 128, .digit = 24}},
     {"128-point FFT multiplier, modulus 2^64 - 2^32 + 1",
      166.450e6,
      {.points = 128, .digit = 28}}}};

// Clocks of one encryption by super_size_encrypt, by its law: of CNT, or of CMNT with the products
// of pairs made beforehand. Requires a group of one of them.
std::uint64_t super_size_clocks(const fpga::SuperSizeShape& shape, const ParameterSet& group);

// All groups of both schemes: first of the devices at their one clock, then of super_size_encrypt
// at those that its paper states for the multipliers, one multiplier after the other.
std::vector<ComputedClocks> computed_encryptions();

// The same as tables, with the time that the clocks take.
void print_encryption_clocks(std::span<const ComputedClocks> computed);

}  // namespace fhe::bench
