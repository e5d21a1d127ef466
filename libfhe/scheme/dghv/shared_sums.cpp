// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/dghv/shared_sums.hpp"

#include <algorithm>
#include <utility>

namespace fhe::dghv {

namespace {

constexpr unsigned kMaskBits = 32;

// Those of some ciphertexts side by side.
BlockSelection joined(std::span<const std::vector<std::uint32_t>> masks, std::size_t block_size,
                      unsigned width) {
  BlockSelection selection{.block_size = block_size,
                           .width = width * static_cast<unsigned>(masks.size()),
                           .masks = std::vector<std::uint32_t>(masks.front().size())};
  for (std::size_t k = 0; k < masks.size(); ++k) {
    for (std::size_t i = 0; i < masks[k].size(); ++i) {
      selection.masks[i] |= masks[k][i] << width * k;
    }
  }
  return selection;
}

}  // namespace

std::vector<std::vector<Operand>> shared_sums(const Ring& ring, const CorrectedStream& set,
                                              std::size_t block_size, unsigned width,
                                              std::span<const std::vector<std::uint32_t>> masks,
                                              const Monitor& monitor) {
  const std::size_t most = kMaskBits / width;
  const std::size_t passes = (masks.size() + most - 1) / most;
  std::vector<std::vector<Operand>> sums(masks.size());
  for (std::size_t pass = 0; pass < passes; ++pass) {
    // As many in each pass, but for one.
    const std::size_t first = pass * masks.size() / passes;
    const std::size_t count = (pass + 1) * masks.size() / passes - first;
    std::vector<Operand> all = ring.selected_elements(
        set, joined(masks.subspan(first, count), block_size, width), monitor);
    for (std::size_t i = 0; i < all.size(); ++i) {
      sums[first + i / width % count].push_back(std::move(all[i]));
    }
  }
  return sums;
}

}  // namespace fhe::dghv
