// SPDX-License-Identifier: Apache-2.0
// A kernel as devices know it.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "accel/gpu/kernels/all.hpp"
#include "libfhe/secret/wipe.hpp"

namespace fhe::gpu {

// How a device finds a kernel: by its name on a GPU, by a function on the host.
struct Kernel {
  const char* name;
  unsigned threads;
  void (*run_block)(const LaunchArguments& arguments, unsigned block);
};

namespace detail {

template <class Code, std::size_t... kPhase>
void run_phases(const Launch<typename Code::Item>& launch, unsigned block,
                std::vector<typename Code::Registers>& registers, Word* shared,
                std::index_sequence<kPhase...> /*phases*/) {
  const auto run_phase = [&]<std::size_t kNumber>() {
    for (unsigned thread = 0; thread < Code::kThreads; ++thread) {
      Code::template run<kNumber>(launch, Place{block, thread}, registers[thread], shared);
    }
  };
  (run_phase.template operator()<kPhase>(), ...);
}

// One block on the host: phases one after the other, and in each the threads.
template <class Code>
void run_block(const LaunchArguments& arguments, unsigned block) {
  const Launch<typename Code::Item> launch(arguments);
  thread_local std::vector<typename Code::Registers> registers(Code::kThreads);
  thread_local std::vector<Word> shared(Code::kShared);
  run_phases<Code>(launch, block, registers, shared.data(),
                   std::make_index_sequence<Code::kPhases>());
  // What is secret stays in no memory of the host.
  wipe(std::as_writable_bytes(std::span(shared)));
}

}  // namespace detail

template <class Code>
inline constexpr Kernel kKernel{};
#define FHE_KERNEL_ENTRY(Name) \
  template <>                  \
  inline constexpr Kernel kKernel<Name>{#Name, Name::kThreads, detail::run_block<Name>};
FHE_FOR_EACH_KERNEL(FHE_KERNEL_ENTRY)
#undef FHE_KERNEL_ENTRY

// All of them.
#define FHE_KERNEL_IN_LIST(Name) kKernel<Name>,
inline constexpr Kernel kKernels[] = {FHE_FOR_EACH_KERNEL(FHE_KERNEL_IN_LIST)};
#undef FHE_KERNEL_IN_LIST

}  // namespace fhe::gpu
