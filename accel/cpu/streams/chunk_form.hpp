// SPDX-License-Identifier: Apache-2.0
// Backend::chunk_form() with a Karatsuba kernel: the eight lanes are eight slices of the integer.
#pragma once

#include <cstddef>
#include <memory>

#include "accel/cpu/streams/karatsuba.hpp"
#include "libfhe/arith/chunk_form.hpp"

namespace fhe::cpu {

// For integers of at most `bits` bits, bits >= 1, and weights of at most kernel.chunk_bits bits.
std::unique_ptr<ChunkForm> lane_chunk_form(std::size_t bits, const KaratsubaKernel& kernel);

}  // namespace fhe::cpu
