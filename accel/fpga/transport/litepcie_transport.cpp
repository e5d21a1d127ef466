// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "accel/fpga/contract/words.hpp"
#include "accel/fpga/transport/litepcie_interface.hpp"
#include "accel/fpga/transport/transports.hpp"
#include "libfhe/error.hpp"

namespace fhe::fpga {

namespace {

using namespace litepcie;

// Calls `part` for pieces of at most `most` bytes.
template <class Bytes, class Part>
void in_pieces(std::uint64_t address, Bytes bytes, std::size_t most, const Part& part) {
  while (!bytes.empty()) {
    const std::size_t size = std::min(bytes.size(), most);
    part(address, bytes.first(size));
    bytes = bytes.subspan(size);
    address += size;
  }
}

}  // namespace

LitePcieTransport::LitePcieTransport(const std::string& path, const LitePcieOptions& options,
                                     std::shared_ptr<SystemCalls> system)
    : options_(options),
      system_(std::move(system)),
      node_(system_, path, Access::read_write, false) {
  take_dma();
  BufferInfo info{};
  control("asking for its buffers", kGetBuffers, &info);
  to_card_ = map(info.to_card_offset, info.to_card_size, info.to_card_count);
  try {
    to_host_ = map(info.to_host_offset, info.to_host_size, info.to_host_count);
  } catch (...) {
    unmap(to_card_);
    throw;
  }
}

// Closing the node stops DMA and gives the lock back.
LitePcieTransport::~LitePcieTransport() {
  unmap(to_host_);
  unmap(to_card_);
}

void LitePcieTransport::take_dma() {
  LockRequest request{.reader_request = 1, .writer_request = 1};
  control("taking its DMA", kLock, &request);
  if (request.reader_status == 0 || request.writer_status == 0) node_.fail("taking its DMA", EBUSY);
}

LitePcieTransport::Buffers LitePcieTransport::map(std::uint64_t offset, std::uint64_t each,
                                                  std::uint64_t count) {
  // The place in the ring is known from the second buffer on.
  if (each == 0 || each % kWordBytes != 0 || count < 2)
    node_.fail("asking for its buffers", EPROTO);
  void* const mapped = system_->map(node_.file(), offset, each * count);
  if (mapped == nullptr) node_.fail("mapping its buffers", ENOMEM);
  return {{static_cast<std::byte*>(mapped), each * count}, each};
}

void LitePcieTransport::unmap(Buffers& buffers) {
  system_->unmap(buffers.bytes.data(), buffers.bytes.size());
}

void LitePcieTransport::control(std::string_view what, unsigned long request, void* argument) {
  const std::int64_t result =
      uninterrupted([&] { return system_->control(node_.file(), request, argument); });
  if (result < 0) node_.fail(what, static_cast<int>(-result));
}

std::string LitePcieTransport::description() const {
  return fmt::format("card at {}, no interrupts", node_.path());
}

std::uint32_t LitePcieTransport::access(std::uint32_t place, std::uint32_t value, bool is_write) {
  RegisterAccess access{
      .address = kBar0 + place, .value = value, .is_write = static_cast<std::uint8_t>(is_write)};
  control(is_write ? "writing a register" : "reading a register", kAccessRegister, &access);
  return access.value;
}

std::uint32_t LitePcieTransport::read_register(std::uint32_t offset) {
  return access(kDeviceRegisters + offset, 0, false);
}

void LitePcieTransport::write_register(std::uint32_t offset, std::uint32_t value) {
  (void)access(kDeviceRegisters + offset, value, true);
}

void LitePcieTransport::enable(unsigned long direction, bool is_enabled) {
  DmaControl request{.enable = static_cast<std::uint8_t>(is_enabled)};
  control(is_enabled ? "starting DMA" : "stopping DMA", direction, &request);
}

// Runs `body` between the start and the end of a direction of the driver's DMA; `enabled` is the
// register that lets the shell take part. After an error both are stopped, if that is possible.
template <class Body>
void LitePcieTransport::with_engine(unsigned long direction, std::uint32_t enabled,
                                    const Body& body) {
  try {
    body();
  } catch (...) {
    try {
      enable(direction, false);
      write_shell(enabled, 0);
    } catch (...) {  // the first error says more
    }
    throw;
  }
  enable(direction, false);
  write_shell(enabled, 0);
}

template <class Done>
void LitePcieTransport::wait_until(const Done& done) {
  const auto end = std::chrono::steady_clock::now() + options_.deadline;
  while (!done()) {
    if (std::chrono::steady_clock::now() >= end) node_.fail("a transfer", ETIME);
  }
}

void LitePcieTransport::put(std::uint64_t address, std::span<const std::byte> bytes) {
  const std::scoped_lock lock(transferring_);
  in_pieces(address, bytes, to_card_.bytes.size(),
            [this](std::uint64_t at, std::span<const std::byte> part) { put_part(at, part); });
}

void LitePcieTransport::get(std::uint64_t address, std::span<std::byte> bytes) {
  const std::scoped_lock lock(transferring_);
  in_pieces(address, bytes, to_host_.bytes.size(),
            [this](std::uint64_t at, std::span<std::byte> part) { get_part(at, part); });
}

// The shell takes as many bytes as it was told and lets the rest of the ring wait.
void LitePcieTransport::put_part(std::uint64_t address, std::span<const std::byte> bytes) {
  std::copy(bytes.begin(), bytes.end(), to_card_.bytes.begin());
  with_engine(kControlReader, shell::put_enable, [&] {
    write_shell(shell::put_base, static_cast<std::uint32_t>(address));
    write_shell(shell::put_length, static_cast<std::uint32_t>(bytes.size()));
    write_shell(shell::put_enable, 1);
    enable(kControlReader, true);
    wait_until(
        [this] { return read_shell(shell::put_done) == 1 && read_shell(shell::unwritten) == 0; });
  });
}

// The shell fills whole buffers, at least two: its index is 0 before the first one and after it.
// The rest of the last one is what follows in the card's memory, at its end what is at its
// beginning.
void LitePcieTransport::get_part(std::uint64_t address, std::span<std::byte> bytes) {
  const std::size_t each = to_host_.each;
  const std::size_t count = std::max<std::size_t>(2, (bytes.size() + each - 1) / each);
  with_engine(kControlWriter, shell::get_enable, [&] {
    enable(kControlWriter, true);
    write_shell(shell::get_base, static_cast<std::uint32_t>(address));
    write_shell(shell::get_length, static_cast<std::uint32_t>(count * each));
    write_shell(shell::get_enable, 1);
    wait_until([this, count] { return read_shell(shell::writer_loop_status) == count - 1; });
  });
  std::copy_n(to_host_.bytes.begin(), bytes.size(), bytes.begin());
}

Interrupt LitePcieTransport::wait_interrupt(std::chrono::milliseconds timeout) {
  return watch_interrupt(*this, timeout);
}

}  // namespace fhe::fpga
