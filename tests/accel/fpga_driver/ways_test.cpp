// Every command, by every way to a device.

#include "accel/fpga/driver/open_transport.hpp"
#include "tests/accel/fpga_driver/device_suite.hpp"
#include "tests/accel/fpga_driver/transports.hpp"
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

TEST_CASE("every command gives what GMP gives, on the simulated RTL", "[long]") {
  if (!is_simulated_here()) {
    WARN("SKIPPED: the device is not simulated in this build");
    return;
  }
  Device device(open_local_transport("sim", test_memory()));
  check_commands(device, small_suite());
}

}  // namespace fhe::fpga::test
