// SPDX-License-Identifier: Apache-2.0
// fhe-simd: lends a simulated device to other processes, which open it as socket=PATH.
#include <cstdio>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "accel/fpga/devices/local_devices.hpp"
#include "accel/fpga/tools/socket_server.hpp"
#include "apps/support/interrupt.hpp"
#include "apps/support/program.hpp"

namespace {

using fhe::fpga::DeviceMemory;

void serve(const std::string& path, const std::string& device) {
  const fhe::apps::InterruptWatch interrupts(fhe::apps::FirstSignal::only_asks);
  const fhe::apps::StopEvent stop(interrupts.token());
  const DeviceMemory memory = fhe::fpga::default_device_memory();
  auto transport = fhe::fpga::open_local_transport(device, memory.share());
  const std::string description = transport->description();
  fhe::fpga::SocketServer server(path, std::move(transport), memory);
  fmt::print("{}: {}\n", path, description);
  std::fflush(stdout);
  server.run(stop.descriptor());
}

}  // namespace

int main(int argc, char** argv) {
  fhe::apps::Arguments options("fhe-simd",
                               "Lends a simulated device to other processes, one at a time");
  std::string path;
  std::string device = "model";
  options.option("path", path, "Where to listen; clients open the device socket=PATH")
      .required()
      .value_name("PATH");
  options.option("--device", device, "Which device: " + fhe::fpga::local_names())
      .value_name("NAME")
      .shows_default();
  return fhe::apps::run_program(options, argc, argv, [&] {
    serve(path, device);
    return 0;
  });
}
