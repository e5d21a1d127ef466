// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "accel/fpga/contract/errors.hpp"
#include "accel/fpga/contract/register_values.hpp"
#include "accel/fpga/transport/transports.hpp"

namespace fhe::fpga {

namespace {

constexpr int kTimeOut = 512;  // ERESTARTSYS, which the XDMA driver lets through
constexpr std::chrono::microseconds kShortestPause{50};
constexpr std::chrono::microseconds kLongestPause{2000};

std::string reason_of(int error) {
  return error == kTimeOut ? "the transfer timed out (errno 512 of the XDMA driver)"
                           : std::strerror(error);
}

bool means_gone(int error) {
  return error == ENODEV || error == ENXIO || error == ENOTCONN || error == ESHUTDOWN;
}

std::string_view advice(int error) {
  switch (error) {
    case ENOENT:
      return "load its kernel driver, and check the card with lspci";
    case EACCES:
    case EPERM:
      return "get the right to read and write it, by a group or an udev rule";
    case EBUSY:
      return "end the other program that uses the card";
    case ETIME:
    case kTimeOut:
      return "the device's memory does not answer: look for a wrong address, or reload the "
             "bitstream";
    default:
      return "see the kernel's messages (dmesg)";
  }
}

}  // namespace

CardNode::CardNode(std::shared_ptr<SystemCalls> system, std::string path, Access access,
                   bool may_be_missing)
    : system_(std::move(system)), path_(std::move(path)) {
  const std::int64_t result = uninterrupted([&] { return system_->open(path_, access); });
  if (result == -ENOENT && may_be_missing) return;
  if (result < 0) {
    const int error = static_cast<int>(-result);
    throw Error(ErrorCode::io,
                fmt::format("cannot open {}: {}; {}", path_, reason_of(error), advice(error)));
  }
  file_ = static_cast<int>(result);
}

CardNode::~CardNode() {
  if (is_open()) system_->close(file_);
}

void CardNode::fail(std::string_view what, int error) const {
  const std::string message =
      fmt::format("{}: {} failed: {}; {}", path_, what, reason_of(error), advice(error));
  if (means_gone(error)) throw DeviceLost(message);
  throw Error(ErrorCode::io, message);
}

Interrupt watch_interrupt(Transport& transport, std::chrono::milliseconds timeout) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + timeout;
  for (auto pause = kShortestPause; Clock::now() < end;
       pause = std::min(2 * pause, kLongestPause)) {
    if (transport.read_register(reg::irq_status) != 0) return Interrupt::raised;
    std::this_thread::sleep_for(pause);
  }
  return Interrupt::timed_out;
}

}  // namespace fhe::fpga
