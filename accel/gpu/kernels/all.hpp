// SPDX-License-Identifier: Apache-2.0
// Every kernel, by the name under which a compiled module has it.
#pragma once

#include "accel/gpu/kernels/streams.hpp"
#include "accel/gpu/kernels/transform.hpp"
#include "accel/gpu/kernels/words.hpp"

#define FHE_FOR_EACH_KERNEL(do_it)                                                           \
  do_it(TransformPass) do_it(TakeDigits) do_it(MultiplySpectra) do_it(SumDigits)             \
      do_it(AddOverflows) do_it(AddWords) do_it(ScanCarries) do_it(AddCarries) do_it(Choose) \
          do_it(ExpandStream) do_it(DenseSums) do_it(SparseSums) do_it(SelectedSums)         \
              do_it(LeadingWords)

#ifdef __CUDACC_RTC__
namespace fhe::gpu {

template <class Kernel, unsigned kPhase = 0>
__device__ __forceinline__ void run_phases(const Launch<typename Kernel::Item>& launch, Place place,
                                           typename Kernel::Registers& registers, Word* shared) {
  if constexpr (kPhase < Kernel::kPhases) {
    if constexpr (kPhase > 0) __syncthreads();
    Kernel::template run<kPhase>(launch, place, registers, shared);
    run_phases<Kernel, kPhase + 1>(launch, place, registers, shared);
  }
}

template <class Kernel>
__device__ __forceinline__ void run_block(const LaunchArguments& arguments) {
  const Launch<typename Kernel::Item> launch(arguments);
  __shared__ Word shared[Kernel::kShared > 0 ? Kernel::kShared : 1];
  typename Kernel::Registers registers;
  run_phases<Kernel>(launch, Place{blockIdx.x, threadIdx.x}, registers, shared);
}

}  // namespace fhe::gpu

// The arguments stay where the launch has put them: threads that index a copy would each have one.
#define FHE_GLOBAL_KERNEL(Name)                                           \
  extern "C" __global__ void __launch_bounds__(fhe::gpu::Name::kThreads)  \
      Name(const __grid_constant__ fhe::gpu::LaunchArguments arguments) { \
    fhe::gpu::run_block<fhe::gpu::Name>(arguments);                       \
  }
FHE_FOR_EACH_KERNEL(FHE_GLOBAL_KERNEL)
#endif
