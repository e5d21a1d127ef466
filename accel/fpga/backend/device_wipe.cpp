// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/backend/device_wipe.hpp"

#include <algorithm>
#include <exception>

#include "accel/fpga/contract/command.hpp"

namespace fhe::fpga {

namespace {

constexpr std::uint64_t kBytesAtATime = std::uint64_t{1} << 28;  // lengths are 32 bits of bits

}  // namespace

DeviceWipe::~DeviceWipe() {
  try {
    for (std::uint64_t done = 0; done < bytes_; done += kBytesAtATime) {
      const std::uint64_t bytes = std::min(kBytesAtATime, bytes_ - done);
      device_->run(clear({address_ + done, static_cast<std::uint32_t>(8 * bytes)}));
    }
  } catch (const std::exception&) {
  }
}

}  // namespace fhe::fpga
