// SPDX-License-Identifier: Apache-2.0
// A device server in a thread of this process, at a path of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <sys/eventfd.h>
#include <unistd.h>

#include "accel/fpga/model/model_transport.hpp"
#include "accel/fpga/tools/socket_server.hpp"
#include "accel/fpga/transport/file_descriptor.hpp"
#include "tests/accel/fpga/driver/transports.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::fpga::test {

class ServedDevice {
 public:
  ServedDevice() : ServedDevice(test_memory()) {}
  // Lends this device, of this memory.
  ServedDevice(std::unique_ptr<LocalTransport> device, const DeviceMemory& memory)
      : stop_(eventfd(0, EFD_CLOEXEC)),
        server_(path(), std::move(device), memory),
        thread_([this] { server_.run(stop_.get()); }) {}
  ~ServedDevice() { stop(); }
  ServedDevice(const ServedDevice&) = delete;
  ServedDevice& operator=(const ServedDevice&) = delete;

  [[nodiscard]] std::string path() const { return directory_ / "device"; }

  // Ends the server, whatever its client does.
  void stop() {
    if (!thread_.joinable()) return;
    const std::uint64_t one = 1;
    static_cast<void>(write(stop_.get(), &one, sizeof one));
    thread_.join();
  }

 private:
  explicit ServedDevice(const DeviceMemory& memory)
      : ServedDevice(std::make_unique<ModelTransport>(memory.share()), memory) {}

  fhe::test::TemporaryDirectory directory_;
  FileDescriptor stop_;
  SocketServer server_;
  std::thread thread_;
};

}  // namespace fhe::fpga::test
