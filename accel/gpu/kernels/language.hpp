// SPDX-License-Identifier: Apache-2.0
// What both compilers of the kernels understand: NVRTC, for a GPU, and that of the host, where the
// same kernels are run and tested. Files in this folder include nothing else than each other.
//
// A kernel is a struct:
//
//   struct Example {
//     struct Item { ... };                    // one of many that a launch works on
//     struct Registers { ... };               // of a thread, kept from phase to phase
//     static constexpr unsigned kThreads;     // of a block
//     static constexpr unsigned kShared;      // words of memory that the threads of a block share
//     static constexpr unsigned kPhases;      // between barriers of a block
//     template <unsigned kPhase>
//     FHE_KERNEL static void run(const Launch<Item>& launch, Place place, Registers& registers,
//                                Word* shared);
//   };
//
// Between two phases all threads of a block wait for each other. On the host a block is a loop over
// phases around a loop over threads; blocks run in parallel. Blocks of one launch must not wait for
// each other.
#pragma once

#ifdef __CUDACC_RTC__
#define FHE_KERNEL __device__ __forceinline__
#define FHE_UNROLL _Pragma("unroll")
#else
#include <cstdint>
#define FHE_KERNEL [[gnu::always_inline]] inline
#define FHE_UNROLL _Pragma("GCC unroll 16")
#endif

namespace fhe::gpu {

#ifdef __CUDACC_RTC__
using Word = unsigned long long;
#else
using Word = std::uint64_t;
#endif
static_assert(sizeof(Word) == 8, "a limb");

constexpr unsigned kWordBits = 64;

// The upper half of the product.
FHE_KERNEL Word high_product(Word a, Word b) {
#ifdef __CUDACC_RTC__
  return __umul64hi(a, b);
#else
  __extension__ using Wide = unsigned __int128;
  return static_cast<Word>((static_cast<Wide>(a) * b) >> 64);
#endif
}

// Which thread of which block.
struct Place {
  unsigned block;
  unsigned thread;
};

// What a launch passes, whatever the kernel. Few items go with it; more of them are in the memory
// of the device, which takes as many calls of the driver again.
struct LaunchArguments {
  static constexpr unsigned kWords = 32;

  Word items;  // their address, or 0: they are here
  unsigned blocks_each;
  Word words[kWords];
};

// What all blocks of a launch know: the items, and how many blocks each has.
template <class Item>
struct Launch {
  const Item* items;
  unsigned blocks_each;

  // `arguments` must outlive the object.
  FHE_KERNEL explicit Launch(const LaunchArguments& arguments)
      : items(reinterpret_cast<const Item*>(
            arguments.items != 0 ? arguments.items : reinterpret_cast<Word>(arguments.words))),
        blocks_each(arguments.blocks_each) {}

  FHE_KERNEL const Item& item(Place place) const { return items[place.block / blocks_each]; }
  // The thread's number within its item.
  FHE_KERNEL Word index(Place place, unsigned threads) const {
    return Word{place.block % blocks_each} * threads + place.thread;
  }
};

// For kernels that keep nothing from phase to phase.
struct NoRegisters {};

// What kernels have in common whose threads work each for itself: Code::each(item, index) is called
// for every item, with the numbers from 0 on.
template <class Code>
struct ForEach {
  using Registers = NoRegisters;
  static constexpr unsigned kThreads = 256;
  static constexpr unsigned kShared = 0;
  static constexpr unsigned kPhases = 1;

  template <unsigned kPhase, class Item>
  FHE_KERNEL static void run(const Launch<Item>& launch, Place place, Registers& /*registers*/,
                             Word* /*shared*/) {
    Code::each(launch.item(place), launch.index(place, kThreads));
  }
};

}  // namespace fhe::gpu
