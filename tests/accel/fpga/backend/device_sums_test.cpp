// SPDX-License-Identifier: Apache-2.0
// What sums of an encryption leave in device memory.
#include "accel/fpga/backend/device_sums.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "accel/fpga/backend/device_session.hpp"
#include "accel/fpga/contract/words.hpp"
#include "accel/fpga/model/model_transport.hpp"
#include "libfhe/arith/integer_stream.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::fpga::test {

namespace {

constexpr std::uint64_t kMemoryBytes = std::uint64_t{1} << 20;

// Whether the memory holds a word with these lowest 256 bits.
bool holds(const DeviceMemory& memory, const Integer& secret) {
  const Integer wanted = low_bits(secret, 256);
  for (std::uint64_t at = 0; at < kMemoryBytes; at += kWordBytes)
    if (low_bits(from_bytes(memory.at(memory.base() + at, kWordBytes)), 256) == wanted) return true;
  return false;
}

}  // namespace

TEST_CASE("neither weights nor the sums made with them stay in device memory") {
  fhe::test::Operands operands(77);
  const DeviceMemory memory(std::uint64_t{4} << 30, kMemoryBytes);
  DeviceSession session(std::make_unique<ModelTransport>(memory.share()));
  const Integer modulus = operands.exactly(3'000);
  std::vector<Integer> elements, weights;
  Integer sum;
  for (int i = 0; i < 5; ++i) {
    elements.push_back(operands.bits(3'000));
    weights.push_back(operands.exactly(400));
    sum += elements.back() * weights.back();
  }
  const StoredStream stream(elements, 3'000);
  const Reduction reduction(session.device, modulus, 500);
  OperationCounters counters;
  const std::vector<DenseWeights> batch = {weights};

  CHECK(device_sums(session, stream, batch, &reduction, counters, {}).front() == sum % modulus);
  CHECK(device_sums(session, stream, batch, nullptr, counters, {}).front() == sum);
  CHECK(holds(memory, elements[3]));  // or this test sees nothing
  for (const Integer& weight : weights) CHECK_FALSE(holds(memory, weight));
  CHECK_FALSE(holds(memory, sum));
  CHECK_FALSE(holds(memory, sum % modulus));
}

}  // namespace fhe::fpga::test
