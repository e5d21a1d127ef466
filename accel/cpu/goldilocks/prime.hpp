// SPDX-License-Identifier: Apache-2.0
// The prime p = 2^64 - 2^32 + 1 and the facts about it on which the kernels rest.
//
//   2^64 = 2^32 - 1,  2^96 = -1,  2^192 = 1  (modulo p),
//
// so 2 has order 192, and every root of unity of an order dividing 192 is a power of two.
//
// A residue is a 64-bit word. It is canonical when it is below p; "any word" means 0 .. 2^64 - 1.
// Constants only: this file is also read by sources built for one instruction set.
#pragma once

#include <cstdint>

namespace fhe::cpu::goldilocks {

inline constexpr std::uint64_t kPrime = 0xffffffff00000001;
inline constexpr std::uint64_t kEpsilon = 0xffffffff;  // 2^64 mod p = 2^64 - p
inline constexpr int kOrderOfTwo = 192;

}  // namespace fhe::cpu::goldilocks
