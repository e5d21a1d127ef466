// SPDX-License-Identifier: Apache-2.0
// Streams and weights for the tests of the vector kernels over public streams.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "accel/cpu/kernel.hpp"
#include "accel/cpu/streams/kernels.hpp"
#include "libfhe/arith/weights.hpp"
#include "libfhe/random/public_stream.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

// Runs the rest of the test case with each table of vector code that this processor has, as
// `kernels`. Says so, and ends the test case, where there is none.
#define FOR_ALL_STREAM_KERNELS(kernels)                                                       \
  if (cpu::available_stream_kernels().empty()) {                                              \
    WARN("not run: this processor has no AVX2 with AES instructions");                        \
    return;                                                                                   \
  }                                                                                           \
  const cpu::StreamKernels& kernels = *GENERATE(from_range(cpu::available_stream_kernels())); \
  CAPTURE(kernels.instructions)

// Says so, and ends the test case, where the kernels with IFMA cannot run.
#define NEEDS_IFMA_KERNELS                                                    \
  if (!cpu::is_available(cpu::Kernel::ifma)) {                                \
    WARN("not run: this processor has no AVX-512 with IFMA, VBMI2 and VAES"); \
    return;                                                                   \
  }                                                                           \
  static_assert(true)

inline PublicStream random_stream(Operands& operands, std::size_t count, std::size_t bits) {
  StreamSeed seed;
  to_bytes(operands.bits(128), seed);
  return {seed, StreamPurpose::squash, static_cast<std::uint32_t>(operands.between(0, 1U << 20)),
          count, bits};
}

// Sizes around blocks, limbs, digits, chunks and groups, and random ones.
inline std::size_t awkward_bits(Operands& operands, std::size_t most) {
  constexpr std::array<std::size_t, 10> kUnits{28, 52, 64, 128, 768, 896, 1664, 6144, 8192, 13312};
  if (operands.coin()) return operands.between(1, most);
  const std::size_t unit = kUnits[operands.between(0, kUnits.size() - 1)];
  const std::size_t multiple = unit * operands.between(1, std::max<std::size_t>(1, most / unit));
  return multiple + operands.between(0, 2) - 1;
}

inline DenseWeights dense_weights(Operands& operands, std::size_t count, std::size_t bits) {
  DenseWeights weights = operands.list(count, bits);
  for (Integer& weight : weights) {
    if (operands.between(0, 3) == 0) weight = operands.runs(bits);
  }
  return weights;
}

}  // namespace fhe::test
