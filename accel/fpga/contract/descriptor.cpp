// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/contract/descriptor.hpp"

#include <span>

#include "accel/fpga/contract/address_words.hpp"
#include "accel/fpga/contract/crc32.hpp"

namespace fhe::fpga {

Command Command::with(std::uint32_t flag_bit) const {
  Command changed = *this;
  changed.flags = static_cast<std::uint8_t>(flags | bit(flag_bit));
  return changed;
}

bool Command::is_repeatable() const {
  const auto is_source = [this](const DeviceInteger& source) {
    return source.bits != 0 && source.address == destination.address;
  };
  return !has(flag::accumulate) && !is_source(source0) && !is_source(source1);
}

DescriptorWords encode(const Command& command) {
  DescriptorWords words{};
  words[descriptor::command] = static_cast<std::uint32_t>(command.opcode) |
                               std::uint32_t{command.flags} << 8 | std::uint32_t{command.tag} << 16;
  words[descriptor::context] = command.context | std::uint32_t{command.aux} << 16;
  put_address(words, descriptor::src0, command.source0.address);
  put_address(words, descriptor::src1, command.source1.address);
  put_address(words, descriptor::dst, command.destination.address);
  words[descriptor::len0] = command.source0.bits;
  words[descriptor::len1] = command.source1.bits;
  words[descriptor::lend] = command.destination.bits;
  words[descriptor::aux2] = command.aux2;
  put_address(words, descriptor::param, command.parameter);
  words[descriptor::crc] = descriptor_crc(words);
  return words;
}

Command decode(const DescriptorWords& words) {
  const std::uint32_t first = words[descriptor::command];
  const std::uint32_t second = words[descriptor::context];
  return {
      .opcode = static_cast<Opcode>(first & 0xff),
      .flags = static_cast<std::uint8_t>(first >> 8),
      .tag = static_cast<std::uint16_t>(first >> 16),
      .context = static_cast<std::uint16_t>(second),
      .aux = static_cast<std::uint16_t>(second >> 16),
      .source0 = {get_address(words, descriptor::src0), words[descriptor::len0]},
      .source1 = {get_address(words, descriptor::src1), words[descriptor::len1]},
      .destination = {get_address(words, descriptor::dst), words[descriptor::lend]},
      .aux2 = words[descriptor::aux2],
      .parameter = get_address(words, descriptor::param),
  };
}

std::uint32_t descriptor_crc(const DescriptorWords& words) {
  return crc32(std::as_bytes(std::span(words).first<descriptor::crc>()));
}

}  // namespace fhe::fpga
