// SPDX-License-Identifier: Apache-2.0
// A card behind the XDMA kernel driver: the nodes PREFIX_user (registers), PREFIX_h2c_0 and
// PREFIX_c2h_0 (memory, by file offset), PREFIX_events_0 (the interrupt; may be missing).
//
// What the kernel driver does that files do not: a register access moves 4 bytes whatever the
// count, transfers do not advance the offset, may be short and must not meet another one on the
// same engine, a time-out is errno 512, and an interrupt can be missed between two waits. Never run
// on a card: tests drive it against imitated nodes.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>

#include "accel/fpga/contract/transport.hpp"
#include "accel/fpga/transport/card_node.hpp"
#include "accel/fpga/transport/system_calls.hpp"

namespace fhe::fpga {

struct XdmaOptions {
  // Registers are mapped into memory, where the node can be; else read and written one by one.
  bool map_registers = false;
};

class XdmaTransport final : public Transport {
 public:
  static constexpr std::size_t kLargestTransfer = std::size_t{4} << 20;

  // Throws Error(io) when a node cannot be opened, saying what to do.
  explicit XdmaTransport(const std::string& prefix, const XdmaOptions& options = {},
                         std::shared_ptr<SystemCalls> system = operating_system());
  ~XdmaTransport() override;

  [[nodiscard]] std::string description() const override;
  [[nodiscard]] std::uint32_t read_register(std::uint32_t offset) override;
  void write_register(std::uint32_t offset, std::uint32_t value) override;
  void put(std::uint64_t address, std::span<const std::byte> bytes) override;
  void get(std::uint64_t address, std::span<std::byte> bytes) override;
  [[nodiscard]] Interrupt wait_interrupt(std::chrono::milliseconds timeout) override;

 private:
  template <class Bytes, class Call>
  void transfer(const CardNode& node, std::uint64_t address, Bytes bytes, const Call& call);
  [[nodiscard]] Interrupt wait_event(std::chrono::milliseconds timeout);

  std::string prefix_;
  std::shared_ptr<SystemCalls> system_;
  CardNode user_;
  CardNode to_card_;
  CardNode from_card_;
  CardNode events_;
  std::byte* registers_ = nullptr;  // mapped, or null
  std::mutex to_card_engine_;
  std::mutex from_card_engine_;
};

}  // namespace fhe::fpga
