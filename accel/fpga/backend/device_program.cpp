// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <span>
#include <utility>

#include "accel/fpga/backend/device_recryption.hpp"
#include "accel/fpga/contract/words.hpp"
#include "libfhe/error.hpp"

namespace fhe::fpga {

DeviceInteger DeviceProgram::room(std::uint64_t bits) {
  const std::uint64_t bytes = padded_bytes(bits);
  const auto length = static_cast<std::uint32_t>(bits);
  const auto found = released_.lower_bound(bytes);
  if (found != released_.end()) {
    const std::uint64_t address = found->second;
    released_.erase(found);
    return {address, length};
  }
  const std::uint64_t address = memory_.emplace_back(device_.allocate(bytes)).address();
  sizes_[address] = bytes;
  return {address, length};
}

void DeviceProgram::release(DeviceInteger place) {
  released_.emplace(sizes_.at(place.address), place.address);
}

std::uint64_t DeviceProgram::constant(std::span<const std::byte> bytes) {
  const std::uint64_t address = memory_.emplace_back(device_.allocate(bytes.size())).address();
  device_.put(address, bytes);
  return address;
}

void DeviceProgram::set_context(const Context& context) {
  const ContextRecord record = encode_context(context);
  add({.opcode = Opcode::set_ctx,
       .context = kProgramContext,
       .parameter = constant(std::as_bytes(std::span(record)))});
}

Command DeviceProgram::finish() {
  if (commands_.size() > std::numeric_limits<std::uint16_t>::max()) {
    throw Error(ErrorCode::unsupported, "a program of the device has 65,535 commands at most");
  }
  std::vector<DescriptorWords> words;
  words.reserve(commands_.size());
  for (const Command& command : commands_) words.push_back(encode(command));
  return run(constant(std::as_bytes(std::span(words))),
             static_cast<std::uint16_t>(commands_.size()));
}

}  // namespace fhe::fpga
