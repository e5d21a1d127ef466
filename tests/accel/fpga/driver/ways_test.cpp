// SPDX-License-Identifier: Apache-2.0
// Every command, by every way to a device.
#include <string>

#include "accel/fpga/devices/local_devices.hpp"
#include "tests/accel/fpga/driver/device_suite.hpp"
#include "tests/accel/fpga/driver/transports.hpp"
#include "tests/catch.hpp"

namespace fhe::fpga::test {

TEST_CASE("every command gives what GMP gives, by every way to a device") {
  for (const Way& way : ways()) {
    DYNAMIC_SECTION(way.name) {
      Device device(way.open());
      check_commands(device, way.name == "model" ? quick_suite() : small_suite());
    }
  }
}

TEST_CASE("every command gives what GMP gives, with the throughput multiplier") {
  Device device(open_local_transport("model=throughput", test_memory()));
  check_commands(device, small_suite());
}

#ifdef FHE_HARDWARE
TEST_CASE("every command gives what GMP gives, on the simulated RTL", "[long]") {
  const std::string name = GENERATE("sim", "sim=throughput");
  Device device(open_local_transport(name, test_memory()));
  check_commands(device, small_suite());
}
#endif

}  // namespace fhe::fpga::test
