// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "accel/fpga/contract/words.hpp"
#include "accel/fpga/transport/transports.hpp"

namespace fhe::fpga {

namespace {

constexpr std::size_t kRegisterBytes = 4096;
constexpr std::size_t kAccessBytes = 4;

// Requires the result of a register access.
void check_access(const CardNode& node, std::string_view what, std::int64_t result) {
  if (result < 0) node.fail(what, static_cast<int>(-result));
  if (result != kAccessBytes) node.fail(what, EIO);
}

}  // namespace

XdmaTransport::XdmaTransport(const std::string& prefix, const XdmaOptions& options,
                             std::shared_ptr<SystemCalls> system)
    : prefix_(prefix),
      system_(std::move(system)),
      user_(system_, prefix + "_user", Access::read_write, false),
      to_card_(system_, prefix + "_h2c_0", Access::write, false),
      from_card_(system_, prefix + "_c2h_0", Access::read, false),
      events_(system_, prefix + "_events_0", Access::read, true) {
  if (options.map_registers)
    registers_ = static_cast<std::byte*>(system_->map(user_.file(), 0, kRegisterBytes));
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
  check_access(user_, "reading a register", result);
  return value;
}

void XdmaTransport::write_register(std::uint32_t offset, std::uint32_t value) {
  if (registers_ != nullptr) {
    *reinterpret_cast<volatile std::uint32_t*>(registers_ + offset) = value;
    return;
  }
  const std::int64_t result = uninterrupted(
      [&] { return system_->write_at(user_.file(), std::as_bytes(std::span(&value, 1)), offset); });
  check_access(user_, "writing a register", result);
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
void XdmaTransport::transfer(const CardNode& node, std::uint64_t address, Bytes bytes,
                             const Call& call) {
  int idle_calls = 0;
  while (!bytes.empty()) {
    const Bytes part = bytes.first(std::min(bytes.size(), kLargestTransfer));
    const std::int64_t result = uninterrupted([&] { return call(part, address); });
    if (result < 0) node.fail("a transfer", static_cast<int>(-result));
    const std::size_t moved = static_cast<std::size_t>(result) / kWordBytes * kWordBytes;
    if (moved > part.size() || (moved == 0 && ++idle_calls == kMostInterruptions))
      node.fail("a transfer", EIO);
    bytes = bytes.subspan(moved);
    address += moved;
  }
}

Interrupt XdmaTransport::wait_interrupt(std::chrono::milliseconds timeout) {
  return events_.is_open() ? wait_event(timeout) : watch_interrupt(*this, timeout);
}

Interrupt XdmaTransport::wait_event(std::chrono::milliseconds timeout) {
  const std::int64_t ready = system_->wait_readable(events_.file(), timeout);
  if (ready == -EINTR) return Interrupt::raised;  // whoever waits looks at the device, and waits on
  if (ready < 0) events_.fail("waiting for the interrupt", static_cast<int>(-ready));
  if (ready == 0) return Interrupt::timed_out;
  std::array<std::byte, kAccessBytes> count;
  const std::int64_t result = system_->read(events_.file(), count);
  if (result < 0 && result != -EINTR)
    events_.fail("taking an interrupt", static_cast<int>(-result));
  return Interrupt::raised;
}

}  // namespace fhe::fpga
