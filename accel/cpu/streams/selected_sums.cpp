// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "accel/cpu/streams/grouped_sums.hpp"
#include "accel/cpu/streams/kernels.hpp"
#include "accel/cpu/streams/passes.hpp"
#include "libfhe/arith/parallel.hpp"

namespace fhe::cpu {

namespace {

constexpr std::size_t kChunkBits = kSelectionWords * kLimbBits;
constexpr std::size_t kGroupWords = kLanes * kSelectionWords;
constexpr std::size_t kBucketWords = kSelectionDigits * kLanes;

// Bits [first, first + bits) of all masks; its buckets start at bucket `offset`.
struct Field {
  unsigned first;
  unsigned bits;
  std::size_t offset;

  [[nodiscard]] std::size_t buckets() const { return (std::size_t{1} << bits) - 1; }
};

std::vector<Field> fields_of_width(unsigned width, unsigned field_bits) {
  std::vector<Field> fields;
  std::size_t offset = 0;
  for (unsigned first = 0; first < width; first += field_bits) {
    fields.push_back({first, std::min(field_bits, width - first), offset});
    offset += fields.back().buckets();
  }
  return fields;
}

// Additions for one block: of elements to buckets, and of buckets to sums.
double additions(const std::vector<Field>& fields, double elements) {
  double count = 0;
  for (const Field& field : fields) {
    const auto buckets = static_cast<double>(field.buckets());
    count += elements * buckets / (buckets + 1);          // for random masks
    count += (field.bits + 1) * (buckets + 1) / 2 + 2.0;  // collecting and clearing
  }
  return count;
}

// The cheapest fields; buckets of at most 5 bits fit into the first-level cache.
std::vector<Field> choose_fields(unsigned width, std::size_t block_size) {
  constexpr unsigned kMostBits = 5;
  std::vector<Field> best = fields_of_width(width, 1);
  const auto elements = static_cast<double>(block_size);
  for (unsigned bits = 2; bits <= kMostBits; ++bits) {
    std::vector<Field> fields = fields_of_width(width, bits);
    if (additions(fields, elements) < additions(best, elements)) best = std::move(fields);
  }
  return best;
}

// Elements [begin, end) of one block, few enough for the kernel; sum j of the segment belongs to
// sum j of the block.
struct Segment {
  std::size_t block;
  std::size_t begin;
  std::size_t end;
};

// Which elements go into which buckets, and when these are collected.
class SelectionPlan {
 public:
  explicit SelectionPlan(const BlockSelection& selection)
      : width_(selection.width),
        fields_(choose_fields(width_, std::min(selection.block_size, selection.masks.size()))) {
    for (const std::uint32_t mask : selection.masks) {
      starts_.push_back(static_cast<std::uint32_t>(buckets_.size()));
      for (const Field& field : fields_) {
        const std::size_t value = std::size_t{mask} >> field.first & field.buckets();
        if (value != 0) buckets_.push_back(static_cast<std::uint16_t>(field.offset + value - 1));
      }
      selected_ += mask != 0 ? 1 : 0;
    }
    starts_.push_back(static_cast<std::uint32_t>(buckets_.size()));
    for (std::size_t begin = 0; begin < selection.masks.size();) {
      const std::size_t block = begin / selection.block_size;
      const std::size_t left_in_block = selection.block_size - begin % selection.block_size;
      const std::size_t left = selection.masks.size() - begin;
      const std::size_t size = std::min({left_in_block, left, kMostSelected});
      segments_.push_back({block, begin, begin + size});
      begin += size;
    }
  }

  [[nodiscard]] BucketPlan kernel_plan() const { return {starts_.data(), buckets_.data()}; }
  [[nodiscard]] const std::vector<Field>& fields() const { return fields_; }
  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }
  [[nodiscard]] std::size_t buckets() const {
    return fields_.back().offset + fields_.back().buckets();
  }
  [[nodiscard]] std::size_t selected() const { return selected_; }  // elements in any sum
  [[nodiscard]] std::size_t sums() const { return segments_.size() * width_; }
  [[nodiscard]] unsigned width() const { return width_; }

 private:
  unsigned width_;
  std::vector<Field> fields_;
  std::vector<Segment> segments_;
  std::vector<std::uint32_t> starts_;
  std::vector<std::uint16_t> buckets_;
  std::size_t selected_ = 0;
};

// The words of a sum in a column group, from rows of words.
void set_group(GroupedSums& sums, std::size_t sum, std::size_t group, const std::uint64_t* words,
               std::uint64_t carry) {
  const std::span<Limb> target = sums.words(sum, group);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    for (std::size_t row = 0; row < kSelectionWords; ++row) {
      target[lane * kSelectionWords + row] = words[row * kLanes + lane];
    }
  }
  sums.carry(sum, group) = carry;
}

// Makes the sums of one column group.
void run_group(const LaneStream& stream, const SelectionPlan& plan, std::size_t group,
               GroupedSums& sums, const Monitor& monitor) {
  const SelectionKernel& kernel = stream.kernels().selection;
  const LaneBuffer mask = stream.end_mask(group * kLanes * kChunkBits, kChunkBits, kSelectionWords);
  const LaneStart start = stream.chunks(0, group * kLanes, kSelectionBlocks);
  LaneBuffer buckets(plan.buckets() * kBucketWords);
  LaneBuffer digits(kBucketWords);
  LaneBuffer words(kSelectionWords * kLanes);
  for (std::size_t s = 0; s < plan.segments().size(); ++s) {
    // Elements after which a pass looks at the stop token.
    constexpr std::size_t kStopElements = 1024;
    const Segment& segment = plan.segments()[s];
    for (std::size_t first = segment.begin; first < segment.end; first += kStopElements) {
      monitor.throw_if_stopped();
      kernel.add_to_buckets(stream.key(), start, plan.kernel_plan(), first,
                            std::min(first + kStopElements, segment.end), mask.data(),
                            buckets.data());
    }
    for (const Field& field : plan.fields()) {
      for (unsigned bit = 0; bit < field.bits; ++bit) {
        kernel.collect_buckets(buckets.data() + field.offset * kBucketWords, field.bits, bit,
                               digits.data());
        const std::uint64_t carry = kernel.selection_words(digits.data(), words.data());
        set_group(sums, s * plan.width() + field.first + bit, group, words.data(), carry);
      }
    }
    std::fill_n(buckets.data(), buckets.size(), std::uint64_t{0});
  }
}

// The sums of the blocks from those of their segments.
std::vector<Integer> block_sums(std::vector<Integer> sums, const SelectionPlan& plan) {
  const std::size_t blocks = plan.segments().back().block + 1;
  if (blocks == plan.segments().size()) return sums;
  std::vector<Integer> result(blocks * plan.width());
  for (std::size_t s = 0; s < sums.size(); ++s) {
    const std::size_t block = plan.segments()[s / plan.width()].block;
    result[block * plan.width() + s % plan.width()] += sums[s];
  }
  return result;
}

}  // namespace

std::vector<Integer> lane_selected_sums(const LaneStream& stream, const BlockSelection& selection,
                                        const Backend& backend, const Monitor& monitor) {
  constexpr std::size_t kGroupBits = kLanes * kChunkBits;
  const SelectionPlan plan(selection);
  const std::size_t groups = (stream.bits() + kGroupBits - 1) / kGroupBits;
  GroupedSums sums(plan.sums(), groups, kGroupWords);
  Progress progress(monitor, "selected sums", groups);
  parallel_for(groups, [&](std::size_t group) {
    run_group(stream, plan, group, sums, monitor);
    backend.counters().count_stream_bytes(plan.selected() *
                                          stream.bytes_in(group * kGroupBits, kGroupBits));
    progress.advance();
  });
  return block_sums(sums.join(), plan);
}

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
