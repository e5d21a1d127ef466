// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/transport/xdma_transport.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "accel/fpga/contract/errors.hpp"
#include "accel/fpga/contract/register_values.hpp"
#include "accel/fpga/contract/words.hpp"

namespace fhe::fpga {

namespace {

constexpr std::size_t kRegisterBytes = 4096;
constexpr std::size_t kAccessBytes = 4;
constexpr int kTimeOut = 512;  // ERESTARTSYS, which the XDMA driver lets through
constexpr int kMostInterruptions = 100;
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
      return "load the XDMA kernel driver, and check the card with lspci";
    case EACCES:
    case EPERM:
      return "get the right to read and write it, by a group or an udev rule";
    case EBUSY:
      return "end the other program that uses the card";
    case kTimeOut:
      return "the device's memory does not answer: look for a wrong address, or reload the "
             "bitstream";
    default:
      return "see the kernel's messages (dmesg)";
  }
}

[[noreturn]] void fail(const std::string& path, std::string_view what, int error) {
  const std::string message =
      fmt::format("{}: {} failed: {}; {}", path, what, reason_of(error), advice(error));
  if (means_gone(error)) throw DeviceLost(message);
  throw Error(ErrorCode::io, message);
}

// Calls `call` until it is not interrupted by a signal.
template <class Call>
std::int64_t uninterrupted(const Call& call) {
  std::int64_t result = -EINTR;
  for (int attempt = 0; result == -EINTR && attempt < kMostInterruptions; ++attempt)
    result = call();
  return result;
}

// Requires the result of a register access.
void check_access(const std::string& path, std::string_view what, std::int64_t result) {
  if (result < 0) fail(path, what, static_cast<int>(-result));
  if (result != kAccessBytes) fail(path, what, EIO);
}

}  // namespace

XdmaTransport::Node::Node(std::shared_ptr<SystemCalls> system, std::string path, Access access,
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

XdmaTransport::Node::~Node() {
  if (is_open()) system_->close(file_);
}

XdmaTransport::XdmaTransport(const std::string& prefix, const XdmaOptions& options,
                             std::shared_ptr<SystemCalls> system)
    : prefix_(prefix),
      system_(std::move(system)),
      user_(system_, prefix + "_user", Access::read_write, false),
      to_card_(system_, prefix + "_h2c_0", Access::write, false),
      from_card_(system_, prefix + "_c2h_0", Access::read, false),
      events_(system_, prefix + "_events_0", Access::read, true) {
  if (options.map_registers)
    registers_ = static_cast<std::byte*>(system_->map(user_.file(), kRegisterBytes));
}

XdmaTransport::~XdmaTransport() {
  if (registers_ != nullptr) system_->unmap(registers_, kRegisterBytes);
}

std::string XdmaTransport::description() const {
  return fmt::format("card at {}, registers by {}, {}", prefix_,
                     registers_ != nullptr ? "mmap" : "pread",
                     events_.is_open() ? "interrupts" : "no interrupts");
}

std::uint32_t XdmaTransport::read_register(std::uint32_t offset) {
  if (registers_ != nullptr)
    return *reinterpret_cast<const volatile std::uint32_t*>(registers_ + offset);
  std::uint32_t value = 0;
  const std::int64_t result = uninterrupted([&] {
    return system_->read_at(user_.file(), std::as_writable_bytes(std::span(&value, 1)), offset);
  });
  check_access(user_.path(), "reading a register", result);
  return value;
}

void XdmaTransport::write_register(std::uint32_t offset, std::uint32_t value) {
  if (registers_ != nullptr) {
    *reinterpret_cast<volatile std::uint32_t*>(registers_ + offset) = value;
    return;
  }
  const std::int64_t result = uninterrupted(
      [&] { return system_->write_at(user_.file(), std::as_bytes(std::span(&value, 1)), offset); });
  check_access(user_.path(), "writing a register", result);
}

void XdmaTransport::put(std::uint64_t address, std::span<const std::byte> bytes) {
  const std::lock_guard lock(to_card_engine_);
  transfer(to_card_, address, bytes, [this](std::span<const std::byte> part, std::uint64_t at) {
    return system_->write_at(to_card_.file(), part, at);
  });
}

void XdmaTransport::get(std::uint64_t address, std::span<std::byte> bytes) {
  const std::lock_guard lock(from_card_engine_);
  transfer(from_card_, address, bytes, [this](std::span<std::byte> part, std::uint64_t at) {
    return system_->read_at(from_card_.file(), part, at);
  });
}

// In pieces; what a short transfer left is asked for again, from the last whole word on.
template <class Bytes, class Call>
void XdmaTransport::transfer(const Node& node, std::uint64_t address, Bytes bytes,
                             const Call& call) {
  int idle_calls = 0;
  while (!bytes.empty()) {
    const Bytes part = bytes.first(std::min(bytes.size(), kLargestTransfer));
    const std::int64_t result = uninterrupted([&] { return call(part, address); });
    if (result < 0) fail(node.path(), "a transfer", static_cast<int>(-result));
    const std::size_t moved = static_cast<std::size_t>(result) / kWordBytes * kWordBytes;
    if (moved > part.size() || (moved == 0 && ++idle_calls == kMostInterruptions))
      fail(node.path(), "a transfer", EIO);
    bytes = bytes.subspan(moved);
    address += moved;
  }
}

Interrupt XdmaTransport::wait_interrupt(std::chrono::milliseconds timeout) {
  return events_.is_open() ? wait_event(timeout) : watch_registers(timeout);
}

Interrupt XdmaTransport::wait_event(std::chrono::milliseconds timeout) {
  const std::int64_t ready = system_->wait_readable(events_.file(), timeout);
  if (ready == -EINTR) return Interrupt::raised;  // whoever waits looks at the device, and waits on
  if (ready < 0) fail(events_.path(), "waiting for the interrupt", static_cast<int>(-ready));
  if (ready == 0) return Interrupt::timed_out;
  std::array<std::byte, kAccessBytes> count;
  const std::int64_t result = system_->read(events_.file(), count);
  if (result < 0 && result != -EINTR)
    fail(events_.path(), "taking an interrupt", static_cast<int>(-result));
  return Interrupt::raised;
}

Interrupt XdmaTransport::watch_registers(std::chrono::milliseconds timeout) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + timeout;
  for (auto pause = kShortestPause; Clock::now() < end;
       pause = std::min(2 * pause, kLongestPause)) {
    if (read_register(reg::irq_status) != 0) return Interrupt::raised;
    std::this_thread::sleep_for(pause);
  }
  return Interrupt::timed_out;
}

}  // namespace fhe::fpga
