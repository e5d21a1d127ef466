// Every command, by every way to a device.
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

}  // namespace fhe::fpga::test
