// SPDX-License-Identifier: Apache-2.0
// Recryptions that a device does alone, with whatever fails on the way to it: the result is right,
// or there is a typed error.
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "accel/fpga/backend/device_recryption.hpp"
#include "accel/fpga/backend/device_session.hpp"
#include "accel/fpga/contract/equipment.hpp"
#include "accel/fpga/model/model_transport.hpp"
#include "apps/conformance/recryptions.hpp"
#include "tests/accel/fpga/driver/fault_transport.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::fpga::test {

namespace {

using conformance::Recryption;

const DeviceOptions kHasty{.deadline = std::chrono::milliseconds(4)};

DeviceMemory memory_for_recryption() {
  return {std::uint64_t{4} << 30, std::uint64_t{8} << 20};
}

struct Ended {
  bool is_wrong;
  bool is_right;
  std::uint64_t occasions;
};

// A key's program made and run twice.
Ended recrypt(const Recryption& recryption, const Integer& modulus, const Integer& expected,
              Fault fault, const FaultPlan& plan) {
  auto made = std::make_unique<FaultTransport>(
      std::make_unique<ModelTransport>(memory_for_recryption(), kStandardEquipment), plan);
  const FaultTransport& transport = *made;
  std::optional<Integer> first;
  std::optional<Integer> second;
  std::uint64_t occasions = 0;
  try {
    DeviceSession session(std::move(made), kHasty);
    OperationCounters counters;
    const DeviceRecryption program = recryption.with_program([&](const RingProgram& task) {
      REQUIRE(DeviceRecryption::takes(session.device, modulus, task));
      return DeviceRecryption(session, modulus, task);
    });
    first = program.run(session, recryption.c, counters);
    second = program.run(session, recryption.c, counters);
    occasions = transport.occasions(fault);
  } catch (const Error& error) {
    INFO(error.what());
    CHECK((error.code() == ErrorCode::io || error.code() == ErrorCode::unsupported));
  }
  return {.is_wrong = (first && *first != expected) || (second && *second != expected),
          .is_right = second == expected,
          .occasions = occasions};
}

}  // namespace

TEST_CASE("one fault at every moment of a recryption by the device gives no wrong ciphertext") {
  fhe::test::Operands operands(20);
  const Integer modulus = operands.exactly(1500) | 1;
  const Recryption recryption = conformance::random_recryption(operands, modulus, 1, 5);
  const Integer expected = recryption.result(modulus);
  for (const Fault fault : {Fault::all_ones, Fault::flipped_bit, Fault::failed_read,
                            Fault::lost_write, Fault::failed_write, Fault::failed_put,
                            Fault::failed_get, Fault::lost_interrupt, Fault::vanished}) {
    CAPTURE(static_cast<int>(fault));
    const Ended calm = recrypt(recryption, modulus, expected, fault, faults_at({}));
    REQUIRE(calm.is_right);
    REQUIRE(calm.occasions > 0);
    std::uint64_t right = 0;
    for (std::uint64_t moment = 0; moment < calm.occasions; ++moment) {
      CAPTURE(moment);
      const Ended ended =
          recrypt(recryption, modulus, expected, fault, faults_at({{fault, moment}}));
      CHECK_FALSE(ended.is_wrong);
      right += ended.is_right ? 1 : 0;
    }
    if (fault == Fault::vanished) continue;
    CHECK(2 * right > calm.occasions);
  }
}

}  // namespace fhe::fpga::test
