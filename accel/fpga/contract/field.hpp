// SPDX-License-Identifier: Apache-2.0
// Parts of a word of a descriptor.
#pragma once

#include <cstdint>

namespace fhe::fpga {

// `bits` bits of a word from bit `low` on.
struct Field {
  unsigned low;
  unsigned bits;

  bool operator==(const Field&) const = default;

  [[nodiscard]] constexpr std::uint64_t of(std::uint64_t word) const {
    return word >> low & mask();
  }
  // Of one bit.
  [[nodiscard]] constexpr bool is_set_in(std::uint64_t word) const { return of(word) != 0; }
  // The word that has this value there, as far as it has room, and 0 elsewhere.
  [[nodiscard]] constexpr std::uint32_t put(std::uint64_t value) const {
    return static_cast<std::uint32_t>((value & mask()) << low);
  }

 private:
  [[nodiscard]] constexpr std::uint64_t mask() const { return (std::uint64_t{1} << bits) - 1; }
};

}  // namespace fhe::fpga
