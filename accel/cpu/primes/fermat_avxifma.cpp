// SPDX-License-Identifier: Apache-2.0
// The vector code with AVX2 and AVX-IFMA.
#include "accel/cpu/simd/avxifma.hpp"
// The code is made of these words.
#include "accel/cpu/primes/fermat_code.hpp"

namespace fhe::cpu {

std::uint32_t avxifma_fermat_lanes(const std::uint64_t* numbers, std::size_t digits,
                                   std::size_t bits) {
  return test_of_length<1>(numbers, digits, bits);
}

}  // namespace fhe::cpu
