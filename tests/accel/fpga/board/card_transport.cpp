// SPDX-License-Identifier: Apache-2.0
#include "tests/accel/fpga/board/card_transport.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <card.h>

namespace fhe::fpga::test {

namespace {

constexpr std::uint32_t kInterrupt = std::uint32_t{1} << DEVICE_INTERRUPT;
constexpr std::size_t kLargestPart = std::size_t{64} << 10;
constexpr std::size_t kPutPlace = 0, kGetPlace = PcieHost::kMemoryBytes / 2;
constexpr int kMostLooks = 100'000;
constexpr int kClocksBetweenLooksAtTheTime = 4096;

// A table of the card's DMA engine, by the place of its first register.
void start(PcieHost& host, std::uint32_t enable, std::uint32_t value, std::uint32_t go,
           std::uint32_t loop, std::uint32_t flush, std::uint64_t address, std::size_t bytes) {
  host.write(enable, 0);
  host.write(flush, 1);
  host.write(loop, 0);
  host.write(value, static_cast<std::uint32_t>(bytes));
  host.write(value + 4, static_cast<std::uint32_t>(address));
  host.write(go, static_cast<std::uint32_t>(address >> 32));
  host.write(enable, 1);
}

// Calls `part` for pieces of at most kLargestPart bytes.
template <class Bytes, class Part>
void in_parts(std::uint64_t address, Bytes bytes, const Part& part) {
  while (!bytes.empty()) {
    const std::size_t size = std::min(bytes.size(), kLargestPart);
    part(address, bytes.first(size));
    bytes = bytes.subspan(size);
    address += size;
  }
}

}  // namespace

CardTransport::CardTransport(std::shared_ptr<PcieHost> host) : host_(std::move(host)) {
  host_->write(CSR_PCIE_MSI_ENABLE_ADDR, kInterrupt);
}

std::uint32_t CardTransport::read_register(std::uint32_t offset) {
  const std::scoped_lock lock(mutex_);
  return host_->read(DEVICE_REGISTERS + offset);
}

void CardTransport::write_register(std::uint32_t offset, std::uint32_t value) {
  const std::scoped_lock lock(mutex_);
  host_->write(DEVICE_REGISTERS + offset, value);
}

void CardTransport::put(std::uint64_t address, std::span<const std::byte> bytes) {
  const std::scoped_lock lock(mutex_);
  in_parts(address, bytes,
           [this](std::uint64_t at, std::span<const std::byte> part) { put_part(at, part); });
}

void CardTransport::get(std::uint64_t address, std::span<std::byte> bytes) {
  const std::scoped_lock lock(mutex_);
  in_parts(address, bytes,
           [this](std::uint64_t at, std::span<std::byte> part) { get_part(at, part); });
}

void CardTransport::put_part(std::uint64_t address, std::span<const std::byte> bytes) {
  std::copy(bytes.begin(), bytes.end(), host_->memory().subspan(kPutPlace).begin());
  host_->write(CSR_CARD_MEMORY_PUT_BASE_ADDR, static_cast<std::uint32_t>(address));
  host_->write(CSR_CARD_MEMORY_PUT_LENGTH_ADDR, static_cast<std::uint32_t>(bytes.size()));
  host_->write(CSR_CARD_MEMORY_PUT_ENABLE_ADDR, 1);
  start(*host_, CSR_PCIE_DMA0_READER_ENABLE_ADDR, CSR_PCIE_DMA0_READER_TABLE_VALUE_ADDR,
        CSR_PCIE_DMA0_READER_TABLE_WE_ADDR, CSR_PCIE_DMA0_READER_TABLE_LOOP_PROG_N_ADDR,
        CSR_PCIE_DMA0_READER_TABLE_RESET_ADDR, host_->memory_base() + kPutPlace, bytes.size());
  wait_for(CSR_CARD_MEMORY_PUT_DONE_ADDR, 1);
  wait_for(CSR_CARD_MEMORY_UNWRITTEN_ADDR, 0);
  host_->write(CSR_PCIE_DMA0_READER_ENABLE_ADDR, 0);
  host_->write(CSR_CARD_MEMORY_PUT_ENABLE_ADDR, 0);
}

void CardTransport::get_part(std::uint64_t address, std::span<std::byte> bytes) {
  start(*host_, CSR_PCIE_DMA0_WRITER_ENABLE_ADDR, CSR_PCIE_DMA0_WRITER_TABLE_VALUE_ADDR,
        CSR_PCIE_DMA0_WRITER_TABLE_WE_ADDR, CSR_PCIE_DMA0_WRITER_TABLE_LOOP_PROG_N_ADDR,
        CSR_PCIE_DMA0_WRITER_TABLE_RESET_ADDR, host_->memory_base() + kGetPlace, bytes.size());
  host_->write(CSR_CARD_MEMORY_GET_BASE_ADDR, static_cast<std::uint32_t>(address));
  host_->write(CSR_CARD_MEMORY_GET_LENGTH_ADDR, static_cast<std::uint32_t>(bytes.size()));
  host_->write(CSR_CARD_MEMORY_GET_ENABLE_ADDR, 1);
  wait_for(CSR_PCIE_DMA0_WRITER_TABLE_LOOP_STATUS_ADDR, 1);  // the one descriptor was executed
  host_->write(CSR_CARD_MEMORY_GET_ENABLE_ADDR, 0);
  host_->write(CSR_PCIE_DMA0_WRITER_ENABLE_ADDR, 0);
  const auto arrived = host_->memory().subspan(kGetPlace, bytes.size());
  std::copy(arrived.begin(), arrived.end(), bytes.begin());
}

// The answer to a read of a register comes behind everything that the card wrote before.
void CardTransport::wait_for(std::uint32_t offset, std::uint32_t value) {
  for (int i = 0; i < kMostLooks; ++i) {
    if (host_->read(offset) == value) return;
  }
  throw std::logic_error("a transfer of the card does not end");
}

Interrupt CardTransport::wait_interrupt(std::chrono::milliseconds timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  {
    const std::scoped_lock lock(mutex_);
    host_->write(CSR_PCIE_MSI_CLEAR_ADDR, kInterrupt);  // it comes again, where it is still up
  }
  do {
    const std::scoped_lock lock(mutex_);
    for (int i = 0; i < kClocksBetweenLooksAtTheTime; ++i) {
      if (const unsigned count = host_->take_interrupts(); count != 0) {
        interrupts_ += count;
        return Interrupt::raised;
      }
      host_->step();
    }
  } while (std::chrono::steady_clock::now() < end);
  return Interrupt::timed_out;
}

}  // namespace fhe::fpga::test
