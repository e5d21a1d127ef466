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
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}
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
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case Kernel::avx512:
      return has_avx512();
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

// clang 16 has no name for it in __builtin_cpu_supports.
bool has_vaes() {
#if defined(__x86_64__)
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  constexpr unsigned kExtendedFeatures = 7;
  constexpr unsigned kVaes = 1U << 9;
  return __get_cpuid_count(kExtendedFeatures, 0, &a, &b, &c, &d) != 0 && (c & kVaes) != 0;
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
