// SPDX-License-Identifier: Apache-2.0
// The vector code with AVX-512, IFMA, VBMI2 and VAES.
#include "accel/cpu/simd/ifma.hpp"
#include "accel/cpu/simd/vaes512.hpp"
#include "accel/cpu/streams/digits_ifma.hpp"
#include "accel/cpu/streams/ifma_windows.hpp"
#include "accel/cpu/streams/vector_code.hpp"

namespace fhe::cpu {

namespace {

// By chunk bits: 128, 384, 512, 768, 1024, 1536, 2048, 2432, 2816, 3200 and 4096. Toy, Small,
// Medium and Large encrypt with weights of 936, 1476, 2016 and 2556 bits.
constexpr KaratsubaKernel kKaratsubaKernels[] = {
    kernel_of<Shape<2, 32>>(),  kernel_of<Shape<2, 96>>(),  kernel_of<Shape<2, 128>>(),
    kernel_of<Shape<2, 192>>(), kernel_of<Shape<2, 256>>(), kernel_of<Shape<3, 192>>(),
    kernel_of<Shape<3, 256>>(), kernel_of<Shape<3, 304>>(), kernel_of<Shape<3, 352>>(),
    kernel_of<Shape<3, 400>>(), kernel_of<Shape<3, 512>>()};

}  // namespace

const StreamKernels& ifma_stream_kernels() {
  static constexpr StreamKernels kTable =
      stream_table("AVX-512 IFMA, VAES", Kernel::ifma, kKaratsubaKernels);
  return kTable;
}

}  // namespace fhe::cpu
