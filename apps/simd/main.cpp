// fhe-simd: lends a simulated device to other processes, which open it as socket=PATH.
#include <cstdio>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "accel/fpga/driver/open_transport.hpp"
#include "accel/fpga/driver/socket_server.hpp"
#include "apps/cli/interrupt.hpp"
#include "apps/support/program.hpp"

namespace {

using fhe::fpga::CardMemory;

void serve(const std::string& path, const std::string& device) {
  const fhe::cli::InterruptWatch interrupts(fhe::cli::FirstSignal::only_asks);
  const fhe::cli::StopEvent stop(interrupts.token());
  const CardMemory memory = fhe::fpga::default_card_memory();
  auto transport = fhe::fpga::open_local_transport(device, memory.share());
  const std::string description = transport->description();
  fhe::fpga::SocketServer server(path, std::move(transport), memory);
  fmt::print("{}: {}\n", path, description);
  std::fflush(stdout);
  server.run(stop.descriptor());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App options("Lends a simulated device to other processes, one at a time", "fhe-simd");
  std::string path;
  std::string device = "model";
  options.add_option("path", path, "Where to listen; clients open the device socket=PATH")
      ->required()
      ->type_name("PATH");
  options.add_option("--device", device, "Which device: " + fhe::fpga::local_names())
      ->type_name("NAME")
      ->capture_default_str();
  return fhe::apps::run_program(options, argc, argv, [&] {
    serve(path, device);
    return 0;
  });
}
