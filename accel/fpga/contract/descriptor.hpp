// SPDX-License-Identifier: Apache-2.0
// Commands as values: what a descriptor says (PROGRAMMING.md), and its 16 words.
#pragma once

#include <array>
#include <cstdint>

#include "accel/fpga/contract/register_values.hpp"

namespace fhe::fpga {

// An integer in device memory: where it begins (a multiple of 64) and how many bits it has. As a
// destination: how many it has room for.
struct DeviceInteger {
  std::uint64_t address = 0;
  std::uint32_t bits = 0;

  bool operator==(const DeviceInteger&) const = default;
};

using DescriptorWords = std::array<std::uint32_t, 16>;

// The fields of a descriptor; those that an opcode does not use are 0. The functions of
// command.hpp make them; the device checks everything.
struct Command {
  Opcode opcode = Opcode::nop;
  std::uint8_t flags = 0;  // bits of namespace flag
  std::uint16_t tag = 0;
  std::uint16_t context = 0;
  std::uint16_t aux = 0;
  DeviceInteger source0 = {};
  DeviceInteger source1 = {};
  DeviceInteger destination = {};
  std::uint32_t aux2 = 0;
  std::uint64_t parameter = 0;  // address

  bool operator==(const Command&) const = default;

  [[nodiscard]] bool has(std::uint32_t flag_bit) const { return has_bit(flags, flag_bit); }
  // This command with one more flag.
  [[nodiscard]] Command with(std::uint32_t flag_bit) const;

  // Whether it may run again after it was stopped half-way: it reads nothing that it writes.
  [[nodiscard]] bool is_repeatable() const;
};

// Word 15 is the CRC of the others, looked at with flag `crc`.
[[nodiscard]] DescriptorWords encode(const Command& command);
[[nodiscard]] Command decode(const DescriptorWords& words);
[[nodiscard]] std::uint32_t descriptor_crc(const DescriptorWords& words);

}  // namespace fhe::fpga
