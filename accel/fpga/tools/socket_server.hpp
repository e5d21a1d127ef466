// SPDX-License-Identifier: Apache-2.0
// Lends a device of this process to other processes, one at a time (socket_protocol.hpp).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "accel/fpga/contract/transport.hpp"
#include "accel/fpga/transport/device_memory.hpp"
#include "accel/fpga/transport/file_descriptor.hpp"

namespace fhe::fpga {

class SocketServer {
 public:
  // Listens at `path`, for its owner only; a socket that nobody listens to any more is replaced.
  // `memory` is that of `device`. Throws Error(io).
  SocketServer(const std::string& path, std::unique_ptr<LocalTransport> device,
               const DeviceMemory& memory);
  // Removes the path.
  ~SocketServer();
  SocketServer(const SocketServer&) = delete;
  SocketServer& operator=(const SocketServer&) = delete;

  // Serves clients until the file `stop` can be read, also while the device steps for one of them.
  // Throws Error(io).
  void run(int stop);

 private:
  void serve(const FileDescriptor& client, int stop);
  bool greet(const FileDescriptor& client);
  bool answer(const FileDescriptor& client, int stop);

  std::string path_;
  std::unique_ptr<LocalTransport> device_;
  DeviceMemory memory_;
  FileDescriptor listener_;
};

}  // namespace fhe::fpga
