// SPDX-License-Identifier: Apache-2.0
// The ways to a device that tests take, each to a model of its own.
#pragma once

#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include "accel/fpga/contract/transport.hpp"
#include "accel/fpga/tools/xdma_nodes.hpp"
#include "accel/fpga/transport/device_memory.hpp"
#include "accel/fpga/transport/transports.hpp"

namespace fhe::fpga::test {

// 64 MiB above 4 GiB.
inline DeviceMemory test_memory() {
  return {std::uint64_t{4} << 30, std::uint64_t{64} << 20};
}

// Whether this build simulates the RTL.
[[nodiscard]] bool is_simulated_here();
// The devices inside this process: "model", and "sim" where the build has it.
[[nodiscard]] const std::vector<std::string>& local_devices();
// In a test case: one after the other, with test_memory; those of the equipment that their names go
// on with, such as "=karatsuba".
[[nodiscard]] std::unique_ptr<LocalTransport> any_local_device(const std::string& equipment = "");

// Imitated nodes as system calls of this process: files PREFIX_user and so on.
class NodeCalls : public SystemCalls {
 public:
  // `prefix` is what paths begin with; without events, that node is missing.
  NodeCalls(std::string prefix, std::unique_ptr<LocalTransport> device, bool has_events = true)
      : prefix_(std::move(prefix)), nodes_(std::move(device)), has_events_(has_events) {}

  std::int64_t open(const std::string& path, Access access) override;
  void close(int file) override;
  std::int64_t read_at(int file, std::span<std::byte> bytes, std::uint64_t offset) override;
  std::int64_t write_at(int file, std::span<const std::byte> bytes, std::uint64_t offset) override;
  std::int64_t read(int file, std::span<std::byte> bytes) override;
  std::int64_t wait_readable(int file, std::chrono::milliseconds timeout) override;
  std::int64_t control(int /*file*/, unsigned long /*request*/, void* /*argument*/) override {
    return -ENOTTY;
  }
  void* map(int file, std::uint64_t offset, std::size_t bytes) override;
  void unmap(void* address, std::size_t bytes) override;

  [[nodiscard]] int open_files() const { return open_files_; }

 private:
  std::string prefix_;
  XdmaNodes nodes_;
  bool has_events_;
  int open_files_ = 0;
};

// A way, by name, and a fresh device at its end.
struct Way {
  std::string name;
  std::unique_ptr<Transport> (*open)();
};
[[nodiscard]] const std::vector<Way>& ways();

}  // namespace fhe::fpga::test
