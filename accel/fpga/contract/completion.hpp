// SPDX-License-Identifier: Apache-2.0
// How a command ended.
#pragma once

#include <cstdint>

#include "accel/fpga/contract/register_map.hpp"

namespace fhe::fpga {

struct Completion {
  Status status = Status::ok;
  std::uint32_t cycles = 0;    // device clocks from the command's fetch to its end, modulo 2^32
  bool carry = false;          // carry, borrow or overflow out of the last word
  bool subtracted = false;     // a final subtraction took place
  bool undecided = false;      // a mask of `windows` may be off by one
  std::uint16_t commands = 0;  // of a program: those that were completed before it ended; the three
                               // above are then true if they are for one of these
};

// Whether a status says that the command was wrong, and would be wrong again.
constexpr bool is_refusal(Status status) {
  switch (status) {
    case Status::bad_opcode:
    case Status::bad_align:
    case Status::range:
    case Status::length:
    case Status::overlap:
    case Status::no_ctx:
    case Status::pad_not_zero:
      return true;
    default:
      return false;
  }
}

}  // namespace fhe::fpga
