// SPDX-License-Identifier: Apache-2.0
// Which instructions the engine uses: found out at run time, and forced by an option in tests.
#pragma once

#include <array>
#include <string_view>
#include <vector>

namespace fhe::cpu {

enum class Kernel {
  portable,  // C++ alone
  avx2,      // AVX2 and FMA
  avx512,    // AVX-512 F, DQ, BW, VL
  avxifma,   // AVX2, FMA, AVX-IFMA (52-bit products in 256 bits) and VAES, without AVX-512
  ifma,      // AVX-512 with IFMA (52-bit products), VBMI2, VAES
  neon,      // NEON, which every AArch64 has
};

// From the slowest to the fastest; those of x86-64 and of AArch64 never meet.
inline constexpr std::array kKernels{Kernel::portable, Kernel::avx2, Kernel::avx512,
                                     Kernel::avxifma,  Kernel::ifma, Kernel::neon};

// "portable", "avx2", "avx512", "avxifma", "ifma", "neon".
std::string_view to_string(Kernel kernel);

// Whether this processor (and its operating system) runs a kernel, and this build has it: without
// an assembler that knows AVX-IFMA it goes without Kernel::avxifma.
bool is_available(Kernel kernel);

// Whether it has the instructions of AES for one block, and with AVX for two.
bool has_aes();
bool has_vaes();

// The available ones, fastest first.
std::vector<Kernel> available_kernels();

}  // namespace fhe::cpu
