// SPDX-License-Identifier: Apache-2.0
// The contents of the twiddle ROMs, which rtl/modular/twiddle_rom.sv reads.
//
// For multiplier768, lane_01.hex .. lane_15.hex: in file k the word e is w^(k e), and the word 4096
// + e is w^(-k e), for e < 4096, with w the root of order 65,536 of the software engine.
//
// For low_latency_multiplier, with N = 2^s and v = w^(65536 / N), of order N; words i < N / 2:
//   serial_forward_<s>.hex, s = 2 .. 13: v^r, r the s - 1 bits of i in reverse order
//   serial_inverse_<s>.hex, s = 2 .. 12: v^(-i)
//   serial_divided_<s>.hex, s = 8 .. 13: v^(-i) / N
//
// For multiplier_throughput, first_<l>.hex and second_<l>.hex, l = 00 .. 15: w^e of 4096 or 256
// clocks, then as many inverses, those of `second` divided by 4096;
// rtl/throughput/transform_factors.sv says e of a clock and lane l. And weight_<l>.hex, w^e of 256
// clocks: rtl/throughput/weight_transform.sv.
//
// For the four steps, powers_low.hex and powers_high.hex: W^e for e < 2048, and W^(2048 e) for
// e < 1024, with W the root of order 2^21 of the software engine; w is W^32.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fhe::fpga {

// The words of every ROM, by the name of its file. Throws std::logic_error if the root is not the
// one that the rotations of the hardware are made for.
std::map<std::string, std::vector<std::uint64_t>> rom_contents();

}  // namespace fhe::fpga
