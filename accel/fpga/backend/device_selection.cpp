// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/backend/device_selection.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>

#include "accel/fpga/contract/words.hpp"

namespace fhe::fpga {

namespace {

constexpr std::size_t kSumsAtOnce = parameter::selection_sums;
constexpr std::size_t kMost = std::numeric_limits<std::uint16_t>::max();  // elements, and words

std::uint64_t words_of_sum(const IntegerStream& stream) {
  return words_for_bits(std::uint64_t{stream.bits()} + parameter::sum_margin);
}

std::size_t elements_in_block(const IntegerStream& stream, const BlockSelection& selection) {
  return std::min(selection.block_size, stream.count());
}

std::size_t quotient_up(std::size_t a, std::size_t b) {
  return (a + b - 1) / b;
}

}  // namespace

bool DeviceSelection::takes(const Device& device, const IntegerStream& stream,
                            const BlockSelection& selection) {
  return stream.count() != 0 && generates(device, stream) &&
         elements_in_block(stream, selection) <= kMost && words_of_sum(stream) <= kMost &&
         kSumsAtOnce * words_of_sum(stream) * kWordBits <=
             std::numeric_limits<std::uint32_t>::max();
}

DeviceSelection::DeviceSelection(Device& device, const IntegerStream& stream,
                                 const BlockSelection& selection)
    : elements_(device, stream, 0, stream.count()),
      block_size_(elements_in_block(stream, selection)),
      blocks_(selection.blocks()),
      width_(selection.width),
      groups_(quotient_up(width_, kSumsAtOnce)),
      sum_words_(static_cast<std::uint16_t>(words_of_sum(stream))),
      mask_stride_(quotient_up(block_size_, kWordBytes) * kWordBytes),
      masks_(device.allocate(blocks_ * groups_ * mask_stride_)),
      wipe_(device, masks_) {
  std::vector<std::byte> bytes(blocks_ * groups_ * mask_stride_);
  for (std::size_t i = 0; i < elements_.count(); ++i) {
    for (std::size_t group = 0; group < groups_; ++group) {
      const std::uint64_t at =
          mask_address(i / block_size_, group) - masks_.address() + i % block_size_;
      bytes[at] = static_cast<std::byte>(selection.masks[i] >> kSumsAtOnce * group);
    }
  }
  device.put(masks_.address(), bytes);
}

std::uint64_t DeviceSelection::bits_of_block() const {
  return width_ * sum_words_ * kWordBits;
}

DeviceInteger DeviceSelection::sum(std::uint64_t address, std::size_t which) const {
  return {address + which * sum_words_ * kWordBytes,
          elements_.bits() + static_cast<std::uint32_t>(std::bit_width(block_size_))};
}

std::vector<Command> DeviceSelection::commands(std::size_t block, std::uint64_t address) const {
  const std::size_t first = block * block_size_;
  const std::size_t count = std::min(block_size_, elements_.count() - first);
  std::vector<Command> commands;
  for (std::size_t group = 0; group < groups_; ++group) {
    const std::size_t done = group * kSumsAtOnce;
    commands.push_back(
        select({.destination = sum(address, done).address,
                .stream = elements_.record(),
                .first = elements_.index_of(first),
                .elements = static_cast<std::uint16_t>(count),
                .element_bits = elements_.bits(),
                .masks = mask_address(block, group),
                .sums = static_cast<std::uint8_t>(std::min(width_ - done, kSumsAtOnce)),
                .sum_words = sum_words_}));
  }
  return commands;
}

std::vector<Integer> device_selected_sums(DeviceSession& session, const IntegerStream& stream,
                                          const BlockSelection& selection,
                                          OperationCounters& counters, const Monitor& monitor) {
  Device& device = session.device;
  const DeviceSelection chosen(device, stream, selection);
  const std::uint64_t bytes = padded_bytes(chosen.bits_of_block());
  const DeviceBuffer sums = device.allocate(bytes);
  const DeviceWipe wipe(device, sums);
  counters.count_stream_bytes(chosen.elements().bytes());
  std::vector<Integer> results;
  Progress progress(monitor, "selected sums", chosen.blocks());
  for (std::size_t block = 0; block < chosen.blocks(); ++block) {
    for (const Command& command : chosen.commands(block, sums.address()))
      session.wait(device.submit(command), counters);
    std::vector<std::byte> all(bytes);
    device.get(sums.address(), all);
    for (std::size_t which = 0; which < selection.width; ++which) {
      const DeviceInteger sum = chosen.sum(sums.address(), which);
      results.push_back(
          from_bytes(std::span(all).subspan(sum.address - sums.address(), padded_bytes(sum.bits))));
    }
    progress.advance();
  }
  return results;
}

}  // namespace fhe::fpga
