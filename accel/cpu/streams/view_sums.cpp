// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/streams/view_sums.hpp"

#include <algorithm>
#include <array>

#include "accel/cpu/streams/grouped_sums.hpp"
#include "accel/cpu/streams/view_kernel.hpp"
#include "libfhe/arith/parallel.hpp"

namespace fhe::cpu {

namespace {

// The most limbs of a column group: the elements of a block, of which many may be the same
// integers, stay in the second-level cache while all blocks are summed.
constexpr std::size_t kMostGroupLimbs = 512;

std::size_t group_limbs_for(std::size_t limbs) {
  const std::size_t tiles = (limbs + kViewTileLimbs - 1) / kViewTileLimbs;
  return std::min(tiles * kViewTileLimbs, kMostGroupLimbs);
}

// Up to five sums of a block, and the elements of which there are any.
struct Part {
  std::size_t first_sum;
  std::size_t sums;
  std::vector<ViewElement> elements;
};

ViewElement element_of(const Integer& x, std::uint32_t mask) {
  const auto limbs = limbs_of(x);
  ViewElement element{.words = limbs.data(), .size = limbs.size(), .masks = {}};
  for (std::size_t j = 0; j < kViewSums; ++j) {
    element.masks[j] = (mask >> j & 1) != 0 ? 0xff : 0;
  }
  return element;
}

std::vector<Part> parts_of(const ViewStream& stream, const BlockSelection& selection) {
  std::vector<Part> parts;
  for (std::size_t begin = 0; begin < stream.count(); begin += selection.block_size) {
    const std::size_t end = std::min(begin + selection.block_size, stream.count());
    const std::size_t block = begin / selection.block_size;
    for (unsigned first = 0; first < selection.width; first += kViewSums) {
      const auto sums = std::min<std::size_t>(kViewSums, selection.width - first);
      Part part{.first_sum = block * selection.width + first, .sums = sums, .elements = {}};
      for (std::size_t i = begin; i < end; ++i) {
        const std::uint32_t mask = selection.masks[i] >> first & ((1U << kViewSums) - 1);
        if (mask != 0) part.elements.push_back(element_of(*stream.elements()[i], mask));
      }
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

void add_group(const ViewKernel& kernel, const Part& part, std::size_t group, GroupedSums& sums) {
  const std::size_t limbs = sums.words(part.first_sum, group).size();
  std::array<std::uint64_t*, kViewSums> words{};
  std::array<std::uint64_t, kViewSums> carries{};
  for (std::size_t j = 0; j < part.sums; ++j) {
    words[j] = sums.words(part.first_sum + j, group).data();
  }
  kernel.add_elements(part.elements.data(), part.elements.size(), group * limbs, limbs,
                      words.data(), carries.data());
  for (std::size_t j = 0; j < part.sums; ++j) sums.carry(part.first_sum + j, group) = carries[j];
}

}  // namespace

std::vector<Integer> view_selected_sums(const ViewStream& stream, const BlockSelection& selection,
                                        const ViewKernel& kernel, const Backend& backend,
                                        const Monitor& monitor) {
  const std::vector<Part> parts = parts_of(stream, selection);
  const std::size_t group_limbs = group_limbs_for(stream.limbs());
  const std::size_t groups = (stream.limbs() + group_limbs - 1) / group_limbs;
  GroupedSums sums(selection.blocks() * selection.width, groups, group_limbs);
  Progress progress(monitor, "selected sums", groups * parts.size());
  const auto selected = static_cast<std::size_t>(
      std::ranges::count_if(selection.masks, [](std::uint32_t mask) { return mask != 0; }));
  backend.counters().count_stream_bytes(selected * stream.limbs() * sizeof(Limb));
  parallel_for(groups * parts.size(), [&](std::size_t i) {
    monitor.throw_if_stopped();
    const Part& part = parts[i % parts.size()];
    add_group(kernel, part, i / parts.size(), sums);
    progress.advance();
  });
  return sums.join();
}

}  // namespace fhe::cpu
