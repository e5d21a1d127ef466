// SPDX-License-Identifier: Apache-2.0
// The few system calls through which a card's nodes are used, so that tests can make them fail.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace fhe::fpga {

enum class Access { read, write, read_write };

// Results are those of the system's call, or -errno. Threads: may be called by several at once.
class SystemCalls {
 public:
  virtual ~SystemCalls() = default;
  SystemCalls(const SystemCalls&) = delete;
  SystemCalls& operator=(const SystemCalls&) = delete;

  [[nodiscard]] virtual std::int64_t open(const std::string& path, Access access) = 0;
  virtual void close(int file) = 0;
  [[nodiscard]] virtual std::int64_t read_at(int file, std::span<std::byte> bytes,
                                             std::uint64_t offset) = 0;
  [[nodiscard]] virtual std::int64_t write_at(int file, std::span<const std::byte> bytes,
                                              std::uint64_t offset) = 0;
  [[nodiscard]] virtual std::int64_t read(int file, std::span<std::byte> bytes) = 0;
  // 1 when `file` can be read, 0 after the timeout.
  [[nodiscard]] virtual std::int64_t wait_readable(int file, std::chrono::milliseconds timeout) = 0;
  // An ioctl, whose argument is read and written.
  [[nodiscard]] virtual std::int64_t control(int file, unsigned long request, void* argument) = 0;
  // Bytes of the file from an offset on, shared with it, or null.
  [[nodiscard]] virtual void* map(int file, std::uint64_t offset, std::size_t bytes) = 0;
  virtual void unmap(void* address, std::size_t bytes) = 0;

 protected:
  SystemCalls() = default;
};

// Those of the operating system.
[[nodiscard]] std::shared_ptr<SystemCalls> operating_system();

}  // namespace fhe::fpga
