// SPDX-License-Identifier: Apache-2.0
// AES-128 in counter mode, eight key streams side by side: the generator "aes128ctr-v1" (specified
// in libfhe/random/public_stream.hpp) with AES instructions.
//
// Lane l of a vector belongs to chunk l of an element or to element l of a list: any element and
// any block, because every lane has a counter of its own. Key stream words come out vertically:
// row w holds word w of all eight lanes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fhe::cpu {

inline constexpr std::size_t kLanes = 8;

// The round keys, in the byte order of memory.
struct AesKey {
  alignas(16) std::uint64_t rounds[11][2];
};

// Lane l starts at counter block (high + l * high_step, block + l * block_step); `high` is
// purpose * 2^32 + index, `block` the number of the block inside the element.
struct LaneStart {
  std::uint64_t high;
  std::uint64_t high_step;
  std::uint64_t block;
  std::uint64_t block_step;
};

struct GeneratorKernel {
  // The key schedule of the 16 bytes at `seed`.
  void (*expand_key)(const void* seed, AesKey& key);

  // The next `blocks` blocks of every lane: rows 0 ... 2 * blocks - 1 of `words`, which is aligned
  // to 64 bytes and holds kLanes words in a row.
  void (*generate_lanes)(const AesKey& key, const LaneStart& start, std::size_t blocks,
                         std::uint64_t* words);
};

}  // namespace fhe::cpu
