// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/streams/kernels.hpp"

#include <algorithm>

namespace fhe::cpu {

std::vector<const StreamKernels*> available_stream_kernels() {
  std::vector<const StreamKernels*> all;
#ifdef FHE_STREAM_KERNELS
  if (!has_aes()) return all;
#if defined(__x86_64__)
  if (is_available(Kernel::avx2)) all.push_back(&avx2_stream_kernels());
  if (is_available(Kernel::avx2) && has_vaes()) all.push_back(&avx2_vaes_stream_kernels());
  if (is_available(Kernel::avx512)) all.push_back(&avx512_stream_kernels());
#ifdef FHE_AVXIFMA
  if (is_available(Kernel::avxifma)) all.push_back(&avxifma_stream_kernels());
#endif
  if (is_available(Kernel::ifma)) all.push_back(&ifma_stream_kernels());
#elif defined(__aarch64__)
  all.push_back(&neon_stream_kernels());
#endif
#endif
  return all;
}

const StreamKernels* stream_kernels(Kernel kernel) {
  const StreamKernels* fastest = nullptr;
  for (const StreamKernels* kernels : available_stream_kernels()) {
    if (kernels->kernel == kernel) fastest = kernels;
  }
  return fastest;
}

const KaratsubaKernel* karatsuba_kernel(const StreamKernels& kernels, std::size_t bits) {
  const auto found = std::ranges::find_if(
      kernels.karatsuba, [bits](const KaratsubaKernel& k) { return k.chunk_bits >= bits; });
  return found != kernels.karatsuba.end() ? &*found : nullptr;
}

}  // namespace fhe::cpu
