// SPDX-License-Identifier: Apache-2.0
// The nodes of the XDMA kernel driver imitated over a device of this process, quirks included: for
// programs and tests that have no card.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "accel/fpga/contract/transport.hpp"

namespace fhe::fpga {

enum class XdmaNode { user, to_card, from_card, events };

// What follows the prefix of each node's name: "user", "h2c_0", "c2h_0", "events_0".
[[nodiscard]] std::string_view name(XdmaNode node);
// The node with this ending; empty when there is none.
[[nodiscard]] std::optional<XdmaNode> xdma_node(std::string_view ending);
inline constexpr std::size_t kXdmaNodes = 4;

// Results are counts of bytes, or -errno as the kernel driver gives it:
//   user       transfers 4 bytes whatever the count; EPROTO for a smaller count, and for an
//              offset that is no multiple of 4
//   transfers  any number of bytes at the device address `offset`; EIO outside of memory, EBUSY
//              during another transfer of the same engine
//   events     reads exactly 4 bytes, else EPROTO, and clears the event; EAGAIN without an event
// Threads: may be called by several at once.
class XdmaNodes {
 public:
  explicit XdmaNodes(std::unique_ptr<LocalTransport> device) : device_(std::move(device)) {}

  [[nodiscard]] std::int64_t read(XdmaNode node, std::span<std::byte> bytes, std::uint64_t offset);
  [[nodiscard]] std::int64_t write(XdmaNode node, std::span<const std::byte> bytes,
                                   std::uint64_t offset);

  // Whether an event can be read, at once or after a while.
  [[nodiscard]] bool wait_event(std::chrono::milliseconds timeout);

  [[nodiscard]] LocalTransport& device() { return *device_; }

 private:
  [[nodiscard]] std::int64_t take_event(std::span<std::byte> bytes);

  std::unique_ptr<LocalTransport> device_;
  std::mutex to_card_engine_;
  std::mutex from_card_engine_;
  std::mutex event_;
  bool has_event_ = false;
};

}  // namespace fhe::fpga

// The imitated nodes of a card as files: a file system with nothing else in it.
struct fuse_pollhandle;

namespace fhe::fake_xdma {

// The device's interrupt, for those who poll the events node.
class EventWatch {
 public:
  explicit EventWatch(fpga::XdmaNodes& nodes);
  ~EventWatch();
  EventWatch(const EventWatch&) = delete;
  EventWatch& operator=(const EventWatch&) = delete;

  // Wakes the poller behind `handle` when there is an event; takes the handle over. Null only asks.
  bool poll(fuse_pollhandle* handle);

 private:
  void watch();
  void wake();

  fpga::XdmaNodes& nodes_;
  std::mutex mutex_;
  fuse_pollhandle* poller_ = nullptr;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

// Mounts the nodes of `device` in `folder` as xdma0_user, xdma0_h2c_0, xdma0_c2h_0, xdma0_events_0
// and serves them until the folder is unmounted, or SIGINT, SIGTERM or SIGHUP come. Throws
// Error(io) when it cannot be mounted.
void serve_nodes(std::unique_ptr<fpga::LocalTransport> device, const std::string& folder);

}  // namespace fhe::fake_xdma
