// SPDX-License-Identifier: Apache-2.0
// Streams whose elements the device generates: the record that commands on them read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace fhe::fpga {

// A stream of the generator "aes128ctr-v1" (libfhe/random/public_stream.hpp).
struct GeneratedStream {
  std::array<std::byte, 16> seed{};
  std::uint32_t purpose = 0;

  bool operator==(const GeneratedStream&) const = default;
};

using StreamRecord = std::array<std::uint32_t, 16>;
[[nodiscard]] StreamRecord encode_stream(const GeneratedStream& stream);
[[nodiscard]] GeneratedStream decode_stream(const StreamRecord& record);

// Where an element of a stream lies for such commands, and which one lies there.
constexpr std::uint64_t element_address(std::uint32_t index) {
  return std::uint64_t{index} << 32;
}
constexpr std::uint32_t element_index(std::uint64_t address) {
  return static_cast<std::uint32_t>(address >> 32);
}

}  // namespace fhe::fpga
