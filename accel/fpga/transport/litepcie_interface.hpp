// SPDX-License-Identifier: Apache-2.0
// What a program sees of a card with the shell of accel/fpga/board: places of registers in its
// BAR0, and the requests that the kernel driver of LitePCIe 2024.12 takes at /dev/litepcie0 (its
// litepcie.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include <sys/ioctl.h>

namespace fhe::fpga::litepcie {

// The driver names registers by their addresses on the card's bus.
inline constexpr std::uint32_t kBar0 = 0xf000'0000;
inline constexpr std::uint32_t kDeviceRegisters = 0x1'0000;

// Registers of the shell (card.h, which acorn.py writes).
namespace shell {
// NOLINTBEGIN(readability-identifier-naming): the names of the shell
inline constexpr std::uint32_t put_base = 0x800;
inline constexpr std::uint32_t put_length = 0x804;
inline constexpr std::uint32_t put_enable = 0x808;
inline constexpr std::uint32_t put_done = 0x80c;
inline constexpr std::uint32_t get_base = 0x818;
inline constexpr std::uint32_t get_length = 0x81c;
inline constexpr std::uint32_t get_enable = 0x820;
inline constexpr std::uint32_t unwritten = 0x830;
inline constexpr std::uint32_t writer_loop_status = 0x1014;  // loops[31:16], index[15:0]
// NOLINTEND(readability-identifier-naming)
}  // namespace shell

// Arguments of requests.
struct RegisterAccess {
  std::uint32_t address = 0;
  std::uint32_t value = 0;
  std::uint8_t is_write = 0;
};
struct DmaControl {  // of the writer (card to host) and of the reader
  std::uint8_t enable = 0;
  std::int64_t hardware_count = 0;
  std::int64_t software_count = 0;
};
struct BufferInfo {
  std::uint64_t to_card_offset = 0, to_card_size = 0, to_card_count = 0;
  std::uint64_t to_host_offset = 0, to_host_size = 0, to_host_count = 0;
};
struct LockRequest {
  std::uint8_t reader_request = 0, writer_request = 0;
  std::uint8_t reader_release = 0, writer_release = 0;
  std::uint8_t reader_status = 0, writer_status = 0;  // 1: granted
};

inline constexpr unsigned long kAccessRegister = _IOWR('S', 0, RegisterAccess);
inline constexpr unsigned long kControlWriter = _IOWR('S', 21, DmaControl);
inline constexpr unsigned long kControlReader = _IOWR('S', 22, DmaControl);
inline constexpr unsigned long kGetBuffers = _IOR('S', 24, BufferInfo);
inline constexpr unsigned long kLock = _IOWR('S', 25, LockRequest);

}  // namespace fhe::fpga::litepcie
