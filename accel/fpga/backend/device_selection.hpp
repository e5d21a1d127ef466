// SPDX-License-Identifier: Apache-2.0
// Bit-selected sums of streams whose elements the device generates, in its memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "accel/fpga/backend/device_session.hpp"
#include "accel/fpga/backend/device_wipe.hpp"
#include "accel/fpga/backend/generated_elements.hpp"
#include "accel/fpga/contract/command.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/integer_stream.hpp"
#include "libfhe/arith/weights.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::fpga {

// The masks of a selection on the device, until this object goes out of scope.
class DeviceSelection {
 public:
  // Whether the device takes this selection, which is one of these elements (is_selection).
  [[nodiscard]] static bool takes(const Device& device, const IntegerStream& stream,
                                  const BlockSelection& selection);

  // Requires that it does. Throws OutOfDeviceMemory.
  DeviceSelection(Device& device, const IntegerStream& stream, const BlockSelection& selection);

  [[nodiscard]] std::size_t blocks() const { return blocks_; }
  [[nodiscard]] const GeneratedElements& elements() const { return elements_; }
  // Room for all sums of a block.
  [[nodiscard]] std::uint64_t bits_of_block() const;
  // Where a sum of a block is, whose sums begin at an address.
  [[nodiscard]] DeviceInteger sum(std::uint64_t address, std::size_t which) const;
  // The commands that make the sums of a block.
  [[nodiscard]] std::vector<Command> commands(std::size_t block, std::uint64_t address) const;

 private:
  [[nodiscard]] std::uint64_t mask_address(std::size_t block, std::size_t group) const {
    return masks_.address() + (block * groups_ + group) * mask_stride_;
  }

  GeneratedElements elements_;
  std::size_t block_size_;
  std::size_t blocks_;
  std::size_t width_;
  std::size_t groups_;  // of as many sums as one command makes
  std::uint16_t sum_words_;
  std::uint64_t mask_stride_;  // bytes
  DeviceBuffer masks_;
  DeviceWipe wipe_;  // they are secret where ciphertexts have slots
};

// Backend::selected_sums of what DeviceSelection takes. Throws OutOfDeviceMemory, Error(stopped).
std::vector<Integer> device_selected_sums(DeviceSession& session, const IntegerStream& stream,
                                          const BlockSelection& selection,
                                          OperationCounters& counters, const Monitor& monitor);

}  // namespace fhe::fpga
