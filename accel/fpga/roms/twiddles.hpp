// The contents of the twiddle ROMs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fhe::fpga {

inline constexpr int kTwiddleLanes = 16;  // lane 0 has no ROM: all its factors are 1
inline constexpr std::size_t kTwiddlesPerDirection = 4096;

// The words of rtl/twiddle_rom.sv for a lane k in 1 .. 15: w^(k e), then w^(-k e), for e < 4096,
// with w the root of order 65,536 of the software engine. Throws std::logic_error if that is not
// the root that the hardware's rotations are made for.
std::vector<std::uint64_t> twiddles(int lane);

}  // namespace fhe::fpga
