// SPDX-License-Identifier: Apache-2.0
// The Karatsuba kernels with digits of 28 bits. Their pieces are those that need the fewest
// products: n digits for b + L bits, of which few are left over.
#pragma once

#include "accel/cpu/streams/karatsuba_code.hpp"

namespace fhe::cpu {

namespace {

// By chunk bits: 128, 384, 512, 768, 1024, 1536, 2048, 2560, 3072 and 4096. Toy, Small, Medium and
// Large encrypt with weights of 936, 1476, 2016 and 2556 bits.
constexpr KaratsubaKernel kKaratsubaKernels[] = {
    kernel_of<Shape<2, 32>>(),  kernel_of<Shape<2, 96>>(),  kernel_of<Shape<2, 128>>(),
    kernel_of<Shape<3, 96>>(),  kernel_of<Shape<3, 128>>(), kernel_of<Shape<3, 192>>(),
    kernel_of<Shape<4, 128>>(), kernel_of<Shape<4, 160>>(), kernel_of<Shape<4, 192>>(),
    kernel_of<Shape<4, 256>>()};

}  // namespace

}  // namespace fhe::cpu
