// SPDX-License-Identifier: Apache-2.0
// The way to the device on a simulated card: what a driver of the shell
// (accel/fpga/board/README.md) does.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "accel/fpga/contract/transport.hpp"
#include "tests/accel/fpga/board/pcie_host.hpp"

namespace fhe::fpga::test {

class CardTransport final : public Transport {
 public:
  explicit CardTransport(std::shared_ptr<PcieHost> host);

  [[nodiscard]] std::string description() const override { return "a simulated card"; }
  [[nodiscard]] std::uint32_t read_register(std::uint32_t offset) override;
  void write_register(std::uint32_t offset, std::uint32_t value) override;
  void put(std::uint64_t address, std::span<const std::byte> bytes) override;
  void get(std::uint64_t address, std::span<std::byte> bytes) override;
  [[nodiscard]] Interrupt wait_interrupt(std::chrono::milliseconds timeout) override;

  // Interrupts of the card so far.
  [[nodiscard]] std::uint64_t interrupts() const { return interrupts_; }

 private:
  void put_part(std::uint64_t address, std::span<const std::byte> bytes);
  void get_part(std::uint64_t address, std::span<std::byte> bytes);
  void wait_for(std::uint32_t offset, std::uint32_t value);

  std::mutex mutex_;
  std::shared_ptr<PcieHost> host_;
  std::uint64_t interrupts_ = 0;
};

}  // namespace fhe::fpga::test
