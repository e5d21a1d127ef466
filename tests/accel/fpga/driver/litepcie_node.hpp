// SPDX-License-Identifier: Apache-2.0
// The node of LitePCIe's kernel driver, imitated: system calls of this process that do to a card
// what the driver does (main.c of litepcie 2024.12), with fewer buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "accel/fpga/contract/transport.hpp"
#include "accel/fpga/transport/litepcie_interface.hpp"
#include "accel/fpga/transport/transports.hpp"

namespace fhe::fpga::test {

// DRAM of the cards of tests, for the device.
inline constexpr std::uint64_t kCardMemory = 0x4000'0000, kCardBytes = std::uint64_t{32} << 20;

// What the driver has of a card: its BAR0, and memory that its DMA reaches.
class CardPort {
 public:
  virtual ~CardPort() = default;
  CardPort(const CardPort&) = delete;
  CardPort& operator=(const CardPort&) = delete;

  [[nodiscard]] virtual std::uint32_t read(std::uint32_t place) = 0;
  virtual void write(std::uint32_t place, std::uint32_t value) = 0;
  [[nodiscard]] virtual std::span<std::byte> memory() = 0;
  [[nodiscard]] virtual std::uint64_t memory_base() const = 0;
  // The card works while the host finds its way through the system.
  virtual void pass_time() = 0;

 protected:
  CardPort() = default;
};

// The registers of one direction of LitePCIe's DMA, by their distance from the first one
// (config.h).
namespace dma {
inline constexpr std::uint32_t kWriter = 0x1000, kReader = 0x1020;
inline constexpr std::uint32_t enable = 0x00;
inline constexpr std::uint32_t value =
    0x04;  // flags[57:56] length[55:32] address[31:0], the high word first
inline constexpr std::uint32_t commit = 0x0c;  // address[63:32]
inline constexpr std::uint32_t loop = 0x10;
inline constexpr std::uint32_t loop_status = 0x14;
inline constexpr std::uint32_t flush = 0x1c;
inline constexpr std::uint32_t kIrqDisable = 1U << 24, kLastDisable = 1U << 25;
inline constexpr std::uint32_t kLengthMask = 0xff'ffff;
}  // namespace dma

class LitePcieNode : public SystemCalls {
 public:
  static constexpr std::size_t kBufferBytes = 8192;
  static constexpr std::size_t kBuffers = 16;  // of each direction

  LitePcieNode(std::string path, std::shared_ptr<CardPort> card)
      : path_(std::move(path)), card_(std::move(card)) {}

  std::int64_t open(const std::string& path, Access access) override;
  void close(int file) override;
  std::int64_t read_at(int file, std::span<std::byte> bytes, std::uint64_t offset) override;
  std::int64_t write_at(int file, std::span<const std::byte> bytes, std::uint64_t offset) override;
  std::int64_t read(int file, std::span<std::byte> bytes) override;
  std::int64_t wait_readable(int file, std::chrono::milliseconds timeout) override;
  std::int64_t control(int file, unsigned long request, void* argument) override;
  void* map(int file, std::uint64_t offset, std::size_t bytes) override;
  void unmap(void* address, std::size_t bytes) override;

  [[nodiscard]] int open_files() const { return open_files_; }
  [[nodiscard]] int mapped() const { return mapped_; }

 private:
  static constexpr std::size_t kAllBytes = kBuffers * kBufferBytes;

  void start(std::uint32_t direction, std::uint64_t place);
  void stop(std::uint32_t direction);
  void set(std::uint32_t direction, std::uint64_t place, bool& is_enabled, void* argument);

  std::string path_;
  std::shared_ptr<CardPort> card_;
  int open_files_ = 0, mapped_ = 0;
  int owner_ = -1;  // the file that has the DMA
  int next_file_ = 200;
  bool writes_ = false, reads_ = false;
};

// The shell of accel/fpga/board before a simulated device that has kCardMemory, as its registers
// describe it.
class ModelShell final : public CardPort {
 public:
  explicit ModelShell(std::unique_ptr<LocalTransport> device);

  std::uint32_t read(std::uint32_t place) override;
  void write(std::uint32_t place, std::uint32_t value) override;
  std::span<std::byte> memory() override { return memory_; }
  std::uint64_t memory_base() const override { return 0x1000'0000; }
  void pass_time() override { device_->step(kClocksPerCall); }

  // Transfers no longer end, or do again.
  void hang(bool hangs) { hangs_ = hangs; }

 private:
  static constexpr std::uint64_t kClocksPerCall = 50'000;
  struct Descriptor {
    std::uint64_t address;
    std::size_t bytes;
  };

  [[nodiscard]] std::span<std::byte> place_of(const Descriptor& descriptor);
  void put();
  void get();

  std::unique_ptr<LocalTransport> device_;
  std::vector<std::byte> memory_;
  std::map<std::uint32_t, std::uint32_t> registers_;
  std::map<std::uint32_t, std::vector<Descriptor>> tables_;  // by direction
  bool hangs_ = false;
};

}  // namespace fhe::fpga::test
