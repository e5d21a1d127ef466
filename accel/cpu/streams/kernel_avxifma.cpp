// SPDX-License-Identifier: Apache-2.0
// The vector code with AVX2, AVX-IFMA and VAES.
#include "accel/cpu/simd/avxifma.hpp"
#include "accel/cpu/simd/vaes256.hpp"
#include "accel/cpu/streams/digits_ifma.hpp"
#include "accel/cpu/streams/ifma_windows.hpp"
#include "accel/cpu/streams/vector_code.hpp"

namespace fhe::cpu {

namespace {

// By chunk bits: 128, 384, 512, 768, 1024, 1536, 2048, 2432, 3200 and 4096. Toy, Small, Medium and
// Large encrypt with weights of 936, 1476, 2016 and 2556 bits. Pieces have up to five digits, whose
// sums 16 registers hold.
constexpr KaratsubaKernel kKaratsubaKernels[] = {
    kernel_of<Shape<2, 32>>(),  kernel_of<Shape<2, 96>>(),  kernel_of<Shape<2, 128>>(),
    kernel_of<Shape<2, 192>>(), kernel_of<Shape<2, 256>>(), kernel_of<Shape<3, 192>>(),
    kernel_of<Shape<3, 256>>(), kernel_of<Shape<4, 152>>(), kernel_of<Shape<4, 200>>(),
    kernel_of<Shape<4, 256>>()};

}  // namespace

const StreamKernels& avxifma_stream_kernels() {
  static constexpr StreamKernels kTable =
      stream_table("AVX-IFMA, VAES", Kernel::avxifma, kKaratsubaKernels);
  return kTable;
}

}  // namespace fhe::cpu
