// SPDX-License-Identifier: Apache-2.0
// Commands on operands that the descriptor names; OPCODES.md has what they require.
// Written by write_register_map from regmap.toml; change that file instead.
// clang-format off
#pragma once

#include <cstdint>

#include "accel/fpga/contract/descriptor.hpp"

namespace fhe::fpga {

// DST = SRC0 SRC1; with `accumulate` DST += SRC0 SRC1; with four_step in four steps, through scratch memory at PARAM, see there
[[nodiscard]] inline Command multiply(DeviceInteger destination, DeviceInteger x, DeviceInteger y) {
  Command command{.opcode = Opcode::mul};
  command.destination = destination;
  command.source0 = x;
  command.source1 = y;
  return command;
}

// DST = SRC0^2; with `accumulate` DST += SRC0^2; with four_step as `mul`
[[nodiscard]] inline Command square(DeviceInteger destination, DeviceInteger x) {
  Command command{.opcode = Opcode::sqr};
  command.destination = destination;
  command.source0 = x;
  return command;
}

// DST = SRC0 y, and `accumulate`; y is the sum of 2^index over aux indices of 16 bits, each below 4096 (else `length`), in the word at SRC1; info.carry: a bit above the last word is lost
[[nodiscard]] inline Command sparse_multiply(DeviceInteger destination, DeviceInteger x, std::uint64_t indices, std::uint16_t weight) {
  Command command{.opcode = Opcode::lhwmul};
  command.destination = destination;
  command.source0 = x;
  command.source1.address = indices;
  command.aux = weight;
  return command;
}

// DST = SRC0 mod modulus; info.subtracted: y >= A_0 was found; with four_step q A_0 by a cyclic product in four steps, through scratch memory at PARAM; with keeps q as well, and with transforms of A_0 and A_01 at SRC1, see there
[[nodiscard]] inline Command reduce(std::uint16_t context, DeviceInteger destination, DeviceInteger x) {
  Command command{.opcode = Opcode::modred};
  command.context = context;
  command.destination = destination;
  command.source0 = x;
  return command;
}

// DST = SRC0 + SRC1; info.carry: out of the last word
[[nodiscard]] inline Command add(DeviceInteger destination, DeviceInteger x, DeviceInteger y) {
  Command command{.opcode = Opcode::acc};
  command.destination = destination;
  command.source0 = x;
  command.source1 = y;
  return command;
}

// DST = SRC0 - SRC1 modulo 2^(512 words(LEND)); info.carry: borrow
[[nodiscard]] inline Command subtract(DeviceInteger destination, DeviceInteger x, DeviceInteger y) {
  Command command{.opcode = Opcode::sub};
  command.destination = destination;
  command.source0 = x;
  command.source1 = y;
  return command;
}

// DST = SRC0 - SRC1 where SRC0 >= SRC1 (info.subtracted), SRC0 elsewhere
[[nodiscard]] inline Command subtract_if_not_less(DeviceInteger destination, DeviceInteger x, DeviceInteger y) {
  Command command{.opcode = Opcode::csub};
  command.destination = destination;
  command.source0 = x;
  command.source1 = y;
  return command;
}

// DST = 2 SRC0 + T modulo 2^(512 words(LEND)), T the signed word (two's complement) at SRC1
[[nodiscard]] inline Command affine(DeviceInteger destination, DeviceInteger x, std::uint64_t addend) {
  Command command{.opcode = Opcode::affine};
  command.destination = destination;
  command.source0 = x;
  command.source1.address = addend;
  return command;
}

// DST = 0
[[nodiscard]] inline Command clear(DeviceInteger destination) {
  Command command{.opcode = Opcode::clear};
  command.destination = destination;
  return command;
}

// DST = SRC0
[[nodiscard]] inline Command copy(DeviceInteger destination, DeviceInteger x) {
  Command command{.opcode = Opcode::copy};
  command.destination = destination;
  command.source0 = x;
  return command;
}

}  // namespace fhe::fpga
