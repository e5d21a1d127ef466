// SPDX-License-Identifier: Apache-2.0
// The vector code with AVX-512 IFMA.
#include "accel/cpu/simd/ifma.hpp"
// The code is made of these words.
#include "accel/cpu/primes/fermat_code.hpp"

namespace fhe::cpu {

std::uint32_t ifma_fermat_lanes(const std::uint64_t* numbers, std::size_t digits,
                                std::size_t bits) {
  return test_of_length<1>(numbers, digits, bits);
}

}  // namespace fhe::cpu
