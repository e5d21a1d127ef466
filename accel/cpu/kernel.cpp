// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/kernel.hpp"

#include <algorithm>
#include <iterator>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace fhe::cpu {

namespace {

#if defined(__x86_64__)

struct Registers {
  unsigned eax;
  unsigned ebx;
  unsigned ecx;
  unsigned edx;
};

// Leaf 7 of CPUID, for what has no name in __builtin_cpu_supports of gcc 12 or clang 16.
Registers extended_features(unsigned subleaf) {
  constexpr unsigned kLeaf = 7;
  Registers r{};
  return __get_cpuid_count(kLeaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx) != 0 ? r : Registers{};
}

bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

// FHE_EVEX_TWIN: the kernels for AVX-IFMA are to run where AVX-512 stands in for it (see
// simd/avxifma.hpp), as on a processor that has no other use for AVX-512.
#ifdef FHE_EVEX_TWIN

bool has_avx512() {
  return false;
}

bool has_avxifma() {
  return __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512ifma");
}

#else

bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}

// Requires has_avx2(), which asks the operating system for the registers.
bool has_avxifma() {
#ifdef FHE_AVXIFMA
  constexpr unsigned kAvxIfma = 1U << 23;
  return (extended_features(1).eax & kAvxIfma) != 0;
#else
  return false;
#endif
}

#endif

#endif

}  // namespace

std::string_view to_string(Kernel kernel) {
  switch (kernel) {
    case Kernel::portable:
      return "portable";
    case Kernel::avx2:
      return "avx2";
    case Kernel::avx512:
      return "avx512";
    case Kernel::avxifma:
      return "avxifma";
    case Kernel::ifma:
      return "ifma";
    case Kernel::neon:
      return "neon";
  }
  return "unknown";
}

bool is_available(Kernel kernel) {
#if defined(__x86_64__)
  switch (kernel) {
    case Kernel::portable:
      return true;
    case Kernel::avx2:
      return has_avx2();
    case Kernel::avx512:
      return has_avx512();
    case Kernel::avxifma:
      return has_avx2() && has_avxifma() && has_vaes();
    case Kernel::ifma:
      return has_avx512() && __builtin_cpu_supports("avx512ifma") &&
             __builtin_cpu_supports("avx512vbmi2") && has_vaes();
    case Kernel::neon:
      return false;
  }
  return false;
#elif defined(__aarch64__)
  return kernel == Kernel::portable || kernel == Kernel::neon;
#else
  return kernel == Kernel::portable;
#endif
}

bool has_aes() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("aes");
#elif defined(__aarch64__)
  return (getauxval(AT_HWCAP) & HWCAP_AES) != 0;
#else
  return false;
#endif
}

bool has_vaes() {
#if defined(__x86_64__)
  constexpr unsigned kVaes = 1U << 9;
  return (extended_features(0).ecx & kVaes) != 0;
#else
  return false;
#endif
}

std::vector<Kernel> available_kernels() {
  std::vector<Kernel> kernels;
  std::copy_if(kKernels.rbegin(), kKernels.rend(), std::back_inserter(kernels), is_available);
  return kernels;
}

}  // namespace fhe::cpu
