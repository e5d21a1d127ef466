// SPDX-License-Identifier: Apache-2.0
// fhe-fake-xdma: the nodes of an XDMA card as files in a folder, over a simulated device. A program
// opens the card FOLDER/xdma0 as it would open /dev/xdma0.
#include <string>

#include "accel/fpga/devices/local_devices.hpp"
#include "accel/fpga/tools/xdma_nodes.hpp"
#include "apps/support/program.hpp"

int main(int argc, char** argv) {
  fhe::apps::Arguments options("fhe-fake-xdma",
                               "Imitates the nodes of an XDMA card over a simulated device");
  std::string folder;
  std::string device = "model";
  options.option("folder", folder, "Empty folder; the card is FOLDER/xdma0 then")
      .required()
      .value_name("FOLDER");
  options.option("--device", device, "Which device: " + fhe::fpga::local_names())
      .value_name("NAME")
      .shows_default();
  return fhe::apps::run_program(options, argc, argv, [&] {
    fhe::fake_xdma::serve_nodes(
        fhe::fpga::open_local_transport(device, fhe::fpga::default_device_memory()), folder);
    return 0;
  });
}
