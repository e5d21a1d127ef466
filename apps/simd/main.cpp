// fhe-simd: lends a simulated device to other processes, which open it as socket=PATH.
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/signalfd.h>

#include "accel/fpga/driver/file_descriptor.hpp"
#include "accel/fpga/driver/open_transport.hpp"
#include "accel/fpga/driver/socket_server.hpp"
#include "apps/cli/failure.hpp"

namespace {

using fhe::fpga::CardMemory;
using fhe::fpga::FileDescriptor;

// Can be read when SIGINT or SIGTERM came.
FileDescriptor termination_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  return FileDescriptor(signalfd(-1, &signals, SFD_CLOEXEC));
}

void serve(const std::string& path, const std::string& device) {
  const FileDescriptor stop = termination_signals();
  const CardMemory memory = fhe::fpga::default_card_memory();
  auto transport = fhe::fpga::open_local_transport(device, memory.share());
  const std::string description = transport->description();
  fhe::fpga::SocketServer server(path, std::move(transport), memory);
  fmt::print("{}: {}\n", path, description);
  std::fflush(stdout);
  server.run(stop.get());
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
  CLI11_PARSE(options, argc, argv);
  try {
    serve(path, device);
  } catch (...) {
    const fhe::cli::Failure failure = fhe::cli::describe(std::current_exception());
    fmt::print(stderr, "fhe-simd: error: {}\n", failure.message);
    return static_cast<int>(failure.exit_code);
  }
}
