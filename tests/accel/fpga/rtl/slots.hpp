// SPDX-License-Identifier: Apache-2.0
// The slots of a multiplication, as slot_sequence must walk them.
#pragma once

#include <cstddef>
#include <vector>

namespace fhe::test {

struct SlotClock {
  bool running = false;
  std::size_t index = 0;
  bool first = false, odd_slot = false, b_used = false;

  bool operator==(const SlotClock&) const = default;
};

// All clocks of all slots: of a row slot 0 with block 0 of x, slot i with blocks 2 i - 1 and 2 i.
inline std::vector<SlotClock> slot_clocks(std::size_t slot_length, std::size_t x_blocks,
                                          std::size_t y_rows) {
  std::vector<SlotClock> clocks;
  bool odd_slot = false;
  for (std::size_t row = 0; row < y_rows; ++row) {
    for (std::size_t slot = 0; slot == 0 || 2 * slot - 1 < x_blocks; ++slot) {
      for (std::size_t index = 0; index < slot_length; ++index) {
        clocks.push_back({true, index, slot == 0, odd_slot, 2 * slot < x_blocks});
      }
      odd_slot = !odd_slot;
    }
  }
  return clocks;
}

}  // namespace fhe::test
