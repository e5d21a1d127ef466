// SPDX-License-Identifier: Apache-2.0
// A card with the shell of accel/fpga/board behind the kernel driver of LitePCIe: one node,
// /dev/litepcie0.
//
// The driver moves its own buffers in a ring, as long as DMA is enabled: so it is enabled for each
// transfer, which costs about a millisecond. It does not pass the device's interrupt on: IRQ_STATUS
// is looked at instead. One program at a time uses a card. Never run on a card: tests drive it
// against an imitated node, before a model and before the simulated shell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "accel/fpga/contract/transport.hpp"
#include "accel/fpga/transport/card_node.hpp"
#include "accel/fpga/transport/system_calls.hpp"

namespace fhe::fpga {

struct LitePcieOptions {
  std::chrono::milliseconds deadline{10'000};  // of a transfer
};

class LitePcieTransport final : public Transport {
 public:
  // Throws Error(io) when the node cannot be opened or is in use, saying what to do.
  explicit LitePcieTransport(const std::string& path, const LitePcieOptions& options = {},
                             std::shared_ptr<SystemCalls> system = operating_system());
  ~LitePcieTransport() override;

  [[nodiscard]] std::string description() const override;
  [[nodiscard]] std::uint32_t read_register(std::uint32_t offset) override;
  void write_register(std::uint32_t offset, std::uint32_t value) override;
  void put(std::uint64_t address, std::span<const std::byte> bytes) override;
  void get(std::uint64_t address, std::span<std::byte> bytes) override;
  [[nodiscard]] Interrupt wait_interrupt(std::chrono::milliseconds timeout) override;

 private:
  // The driver's buffers of one direction, one behind the other.
  struct Buffers {
    std::span<std::byte> bytes;
    std::size_t each = 0;
  };

  void control(std::string_view what, unsigned long request, void* argument);
  void take_dma();
  void unmap(Buffers& buffers);
  [[nodiscard]] Buffers map(std::uint64_t offset, std::uint64_t each, std::uint64_t count);
  [[nodiscard]] std::uint32_t access(std::uint32_t place, std::uint32_t value, bool is_write);
  [[nodiscard]] std::uint32_t read_shell(std::uint32_t place) { return access(place, 0, false); }
  void write_shell(std::uint32_t place, std::uint32_t value) { (void)access(place, value, true); }
  void enable(unsigned long direction, bool is_enabled);
  void put_part(std::uint64_t address, std::span<const std::byte> bytes);
  void get_part(std::uint64_t address, std::span<std::byte> bytes);
  template <class Body>
  void with_engine(unsigned long direction, std::uint32_t enabled, const Body& body);
  template <class Done>
  void wait_until(const Done& done);

  LitePcieOptions options_;
  std::shared_ptr<SystemCalls> system_;
  CardNode node_;
  Buffers to_card_, to_host_;
  std::mutex transferring_;
};

}  // namespace fhe::fpga
