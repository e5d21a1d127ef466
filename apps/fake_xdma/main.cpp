// fhe-fake-xdma: the nodes of an XDMA card as files in a folder, over a simulated device. A program
// opens the card FOLDER/xdma0 as it would open /dev/xdma0.
#include <exception>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "accel/fpga/driver/open_transport.hpp"
#include "apps/cli/failure.hpp"
#include "apps/fake_xdma/node_files.hpp"

int main(int argc, char** argv) {
  CLI::App options("Imitates the nodes of an XDMA card over a simulated device", "fhe-fake-xdma");
  std::string folder;
  std::string device = "model";
  options.add_option("folder", folder, "Empty folder; the card is FOLDER/xdma0 then")
      ->required()
      ->type_name("FOLDER");
  options.add_option("--device", device, "Which device: " + fhe::fpga::local_names())
      ->type_name("NAME")
      ->capture_default_str();
  CLI11_PARSE(options, argc, argv);
  try {
    fhe::fake_xdma::serve_nodes(
        fhe::fpga::open_local_transport(device, fhe::fpga::default_card_memory()), folder);
  } catch (...) {
    const fhe::cli::Failure failure = fhe::cli::describe(std::current_exception());
    fmt::print(stderr, "fhe-fake-xdma: error: {}\n", failure.message);
    return static_cast<int>(failure.exit_code);
  }
}
