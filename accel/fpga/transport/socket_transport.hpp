// SPDX-License-Identifier: Apache-2.0
// A device in another process: what `fhe-simd` serves. Device memory is shared, registers are
// messages (socket_protocol.hpp).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "accel/fpga/contract/transport.hpp"
#include "accel/fpga/transport/device_memory.hpp"
#include "accel/fpga/transport/file_descriptor.hpp"
#include "accel/fpga/transport/socket_protocol.hpp"

namespace fhe::fpga {

class SocketTransport final : public LocalTransport {
 public:
  // A server that takes longer to answer counts as dead.
  static constexpr std::chrono::seconds kPatience{60};

  // Throws Error(io) when no server listens at `path`, Error(unsupported) for one of another
  // version. Waits while the server has another client.
  explicit SocketTransport(const std::string& path);
  ~SocketTransport() override;

  [[nodiscard]] std::string description() const override;
  [[nodiscard]] std::uint32_t read_register(std::uint32_t offset) override;
  void write_register(std::uint32_t offset, std::uint32_t value) override;
  void put(std::uint64_t address, std::span<const std::byte> bytes) override;
  void get(std::uint64_t address, std::span<std::byte> bytes) override;
  [[nodiscard]] Interrupt wait_interrupt(std::chrono::milliseconds timeout) override;
  void reset() override;
  void step(std::uint64_t clocks) override;

 private:
  std::uint64_t ask(Request request, std::uint32_t offset, std::uint64_t value);

  std::string path_;
  std::mutex mutex_;
  FileDescriptor socket_;
  DeviceMemory memory_;
};

}  // namespace fhe::fpga
