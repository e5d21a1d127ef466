// SPDX-License-Identifier: Apache-2.0
// A program without fhe_simulated_devices is told how to get what it lacks.
#include <string>

#include "accel/fpga/devices/local_devices.hpp"
#include "accel/fpga/devices/open_transport.hpp"
#include "libfhe/arith/registry.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"

namespace fhe::test {

TEST_CASE("simulated devices are refused with a way to get one") {
  for (const std::string name : {"model", "model=super_size", "model=throughput", "sim",
                                 "sim=super_size", "sim=throughput"}) {
    CAPTURE(name);
    CHECK_THROWS_MATCHES(open_backend("fpga:" + name), Error,
                         HasCode(ErrorCode::unsupported, "fhe-simd --device " + name));
    CHECK_THROWS_MATCHES(fpga::open_transport(name), Error,
                         HasCode(ErrorCode::unsupported, "fhe_simulated_devices"));
    CHECK_THROWS_MATCHES(fpga::open_local_transport(name, fpga::DeviceMemory(0, 4096)), Error,
                         HasCode(ErrorCode::unsupported, "socket=PATH"));
  }
  CHECK_THROWS_MATCHES(open_backend("fpga:sim"), Error,
                       HasCode(ErrorCode::unsupported, "FHE_HARDWARE"));
  CHECK_THROWS_MATCHES(open_backend("fpga:modem"), Error,
                       HasCode(ErrorCode::unknown_name, "there are: socket=PATH"));
}

TEST_CASE("the backend offers no variant that this program cannot open") {
  for (const BackendFactory& factory : registered_backends()) {
    if (factory.name == "fpga") CHECK(factory.variants.empty());
  }
}

}  // namespace fhe::test
