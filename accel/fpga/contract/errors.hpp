// SPDX-License-Identifier: Apache-2.0
// What the driver throws: kinds of fhe::Error that its users may want to tell apart.
#pragma once

#include <string>

#include "accel/fpga/contract/completion.hpp"
#include "libfhe/error.hpp"

namespace fhe::fpga {

// The device is off the bus, its server has ended, or it does not come out of a reset. Whatever was
// in device memory is lost; nothing but opening the device again helps. Code io.
class DeviceLost final : public Error {
 public:
  explicit DeviceLost(const std::string& message) : Error(ErrorCode::io, message) {}
};

// Device memory has no free piece of the wanted size. Free buffers and try again. Code unsupported.
class OutOfDeviceMemory final : public Error {
 public:
  explicit OutOfDeviceMemory(const std::string& message) : Error(ErrorCode::unsupported, message) {}
};

// A command ended with another status than `ok`; its destination is undefined. Code
// invalid_argument when the command itself was refused (is_refusal), else io.
class CommandFailed final : public Error {
 public:
  CommandFailed(const Completion& completion, const std::string& message)
      : Error(is_refusal(completion.status) ? ErrorCode::invalid_argument : ErrorCode::io, message),
        completion_(completion) {}

  [[nodiscard]] const Completion& completion() const noexcept { return completion_; }

 private:
  Completion completion_;
};

}  // namespace fhe::fpga
