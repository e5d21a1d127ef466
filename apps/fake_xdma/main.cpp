// fhe-fake-xdma: the nodes of an XDMA card as files in a folder, over a simulated device. A program
// opens the card FOLDER/xdma0 as it would open /dev/xdma0.
#include <string>

#include <CLI/CLI.hpp>

#include "accel/fpga/driver/open_transport.hpp"
#include "apps/fake_xdma/node_files.hpp"
#include "apps/support/program.hpp"

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
  return fhe::apps::run_program(options, argc, argv, [&] {
    fhe::fake_xdma::serve_nodes(
        fhe::fpga::open_local_transport(device, fhe::fpga::default_card_memory()), folder);
    return 0;
  });
}
