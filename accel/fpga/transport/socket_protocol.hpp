// SPDX-License-Identifier: Apache-2.0
// What a program and a device server say to each other, over a socket that keeps messages apart
// (AF_UNIX, SOCK_SEQPACKET): the server's Hello, with the file of the device's memory, then one
// answer to each request. Both ends are processes of one machine, so numbers are as it has them.
//
//   request           offset            value              answer's value
//   read_register     of the register   0                  what it holds
//   write_register    of the register   what to write      0
//   step              0                 clocks             0
//   wait_interrupt    0                 milliseconds       1 when raised, else 0
//   reset             0                 0                  0
//   bye               0                 0                  none: the server hangs up
//
// An answer has the kind of its request, or is `refused` when the device would not. A server that
// gets anything else hangs up. A client that goes away leaves a device that is reset before the
// next.
#pragma once

#include <array>
#include <cstdint>

namespace fhe::fpga {

inline constexpr std::uint32_t kSocketVersion = 1;

enum class Request : std::uint32_t {
  read_register = 1,
  write_register,
  step,
  wait_interrupt,
  reset,
  bye,
  refused,  // in answers only
};

struct SocketMessage {
  Request request;
  std::uint32_t offset;
  std::uint64_t value;
};
static_assert(sizeof(SocketMessage) == 16);

struct SocketHello {
  std::uint32_t magic;    // kMagic
  std::uint32_t version;  // kSocketVersion
  std::uint64_t features;
  std::uint64_t memory_base;
  std::uint64_t memory_bytes;
};
static_assert(sizeof(SocketHello) == 32);

}  // namespace fhe::fpga
