// SPDX-License-Identifier: Apache-2.0
// The transports to devices outside of this process.
#pragma once

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "accel/fpga/contract/transport.hpp"
#include "accel/fpga/transport/device_memory.hpp"
#include "accel/fpga/transport/file_descriptor.hpp"
#include "accel/fpga/transport/socket_protocol.hpp"

namespace fhe::fpga {

// The few system calls through which a card's nodes are used, so that tests can make them fail.
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

// A node that a card's kernel driver made, open, and what goes wrong with nodes.
class CardNode {
 public:
  // Throws Error(io) when it cannot be opened, saying what to do.
  CardNode(std::shared_ptr<SystemCalls> system, std::string path, Access access,
           bool may_be_missing);
  ~CardNode();
  CardNode(const CardNode&) = delete;
  CardNode& operator=(const CardNode&) = delete;

  [[nodiscard]] bool is_open() const { return file_ >= 0; }
  [[nodiscard]] int file() const { return file_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  // Throws what says that `what` failed with this errno: DeviceLost, or Error(io) with advice.
  [[noreturn]] void fail(std::string_view what, int error) const;

 private:
  std::shared_ptr<SystemCalls> system_;
  std::string path_;
  int file_ = -1;
};

// Calls `call` until it is not interrupted by a signal, but not for ever.
inline constexpr int kMostInterruptions = 100;
template <class Call>
std::int64_t uninterrupted(const Call& call) {
  std::int64_t result = -EINTR;
  for (int attempt = 0; result == -EINTR && attempt < kMostInterruptions; ++attempt)
    result = call();
  return result;
}

// Transport::wait_interrupt where there is none: looks at IRQ_STATUS, with pauses.
[[nodiscard]] Interrupt watch_interrupt(Transport& transport, std::chrono::milliseconds timeout);

// A device in another process: what `fhe-simd` serves. Device memory is shared, registers are
// messages (socket_protocol.hpp).
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

// A card behind the XDMA kernel driver: the nodes PREFIX_user (registers), PREFIX_h2c_0 and
// PREFIX_c2h_0 (memory, by file offset), PREFIX_events_0 (the interrupt; may be missing).
//
// What the kernel driver does that files do not: a register access moves 4 bytes whatever the
// count, transfers do not advance the offset, may be short and must not meet another one on the
// same engine, a time-out is errno 512, and an interrupt can be missed between two waits. Never run
// on a card: tests drive it against imitated nodes.
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

// A card with the shell of accel/fpga/board behind the kernel driver of LitePCIe: one node,
// /dev/litepcie0.
//
// The driver moves its own buffers in a ring, as long as DMA is enabled: so it is enabled for each
// transfer, which costs about a millisecond. It does not pass the device's interrupt on: IRQ_STATUS
// is looked at instead. One program at a time uses a card. Never run on a card: tests drive it
// against an imitated node, before a model and before the simulated shell.
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
