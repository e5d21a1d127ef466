// SPDX-License-Identifier: Apache-2.0
// The imitated nodes of a card as files: a file system with nothing else in it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "accel/fpga/contract/transport.hpp"
#include "accel/fpga/tools/xdma_nodes.hpp"

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
