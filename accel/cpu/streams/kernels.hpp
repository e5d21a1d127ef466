// SPDX-License-Identifier: Apache-2.0
// The vector code of the passes over streams: a table for each instruction set, to be called only
// where the processor has it. All give the same results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "accel/cpu/kernel.hpp"
#include "accel/cpu/streams/aes_lanes.hpp"
#include "accel/cpu/streams/karatsuba.hpp"
#include "accel/cpu/streams/selection_kernel.hpp"
#include "accel/cpu/streams/sparse_kernel.hpp"
#include "accel/cpu/streams/view_kernel.hpp"
#include "accel/cpu/streams/window_kernel.hpp"

namespace fhe::cpu {

struct StreamKernels {
  std::string_view instructions;
  Kernel kernel;
  GeneratorKernel generator;
  std::span<const KaratsubaKernel> karatsuba;  // by chunk_bits
  SparseKernel sparse;
  SelectionKernel selection;
  WindowKernel windows;
  ViewKernel views;
};

// With the products of AVX2, of AVX-512 and of IFMA, in 256 bits and in 512; the blocks of the
// generator are made one by one, with AES-NI, two at a time with VAES, and four at a time with
// AVX-512 IFMA. Both kinds of IFMA stand for VAES as well. And those of AArch64 with its
// cryptographic extension.
const StreamKernels& avx2_stream_kernels();
const StreamKernels& avx2_vaes_stream_kernels();
const StreamKernels& avx512_stream_kernels();
const StreamKernels& avxifma_stream_kernels();
const StreamKernels& ifma_stream_kernels();
const StreamKernels& neon_stream_kernels();

// All that this processor can run.
std::vector<const StreamKernels*> available_stream_kernels();

// The fastest of them for the instruction set of a kernel that it can run; null where there is
// none, as on processors without AES instructions.
const StreamKernels* stream_kernels(Kernel kernel);

// The kernel of the smallest chunk that holds `bits`; null when there is none.
const KaratsubaKernel* karatsuba_kernel(const StreamKernels& kernels, std::size_t bits);

}  // namespace fhe::cpu
