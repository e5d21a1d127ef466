#include "accel/fpga/driver/device.hpp"

#include "accel/fpga/driver/open_transport.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::fpga {

TEST_CASE("a product on the model") {
  Device device(open_transport("model"));
  test::Operands operands(1);
  for (const std::uint32_t bits : {1U, 511U, 512U, 513U, 100'000U}) {
    const Integer a = operands.exactly(bits);
    const Integer b = operands.exactly(bits);
    const DeviceBuffer x = device.store(a, bits);
    const DeviceBuffer y = device.store(b, bits);
    const DeviceBuffer z = device.allocate(padded_bytes(2 * bits));
    const Completion completion = device.run(
        multiply({z.address(), 2 * bits}, {x.address(), bits}, {y.address(), bits}));
    CHECK(completion.status == Status::ok);
    CHECK(device.load(z, 2 * bits) == a * b);
  }
}

}  // namespace fhe::fpga
