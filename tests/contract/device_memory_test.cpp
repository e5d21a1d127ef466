// SPDX-License-Identifier: Apache-2.0
// The list of a device's free memory, which is in the memory of the host, where that is lacking.
#include <array>
#include <new>
#include <set>
#include <vector>

#include "accel/fpga/contract/errors.hpp"
#include "accel/fpga/driver/device_allocator.hpp"
#include "tests/catch.hpp"
#include "tests/contract/failing_allocations.hpp"

namespace fhe::test {

namespace {

using fpga::CommandCounts;
using fpga::DeviceAllocator;
using fpga::DeviceBuffer;

constexpr std::uint64_t kPiece = 64;
constexpr std::uint64_t kPieces = 64;
constexpr std::uint64_t kWords = kPiece / 8;

// Takes pieces, gives some back at once and others while a command runs, and takes them again.
void use(DeviceAllocator& memory, CommandCounts& counts) {
  counts = {};
  std::array<DeviceBuffer, 6> buffers;
  for (DeviceBuffer& buffer : buffers) buffer = memory.allocate(kWords);
  for (const std::size_t i : {5U, 1U, 2U}) buffers[i] = {};
  buffers[1] = memory.allocate(kWords);
  counts.given = 1;
  for (const std::size_t i : {1U, 3U, 0U}) buffers[i] = {};
  counts.ended = 1;
  buffers[0] = memory.allocate(kWords);
}

// All that is free, piece by piece. Requires that no piece is given out twice.
std::uint64_t pieces_left(DeviceAllocator& memory) {
  std::vector<DeviceBuffer> buffers;
  std::set<std::uint64_t> addresses;
  try {
    for (;;) {
      buffers.push_back(memory.allocate(kWords));
      REQUIRE(addresses.insert(buffers.back().address()).second);
    }
  } catch (const fpga::OutOfDeviceMemory&) {
    return buffers.size();
  }
}

}  // namespace

TEST_CASE("an allocation that fails costs a device one piece of its memory at the most",
          "[contract]") {
  CommandCounts counts;
  const auto ask = [&counts] { return counts; };
  DeviceAllocator whole(0, kPieces * kPiece, ask);
  std::size_t count = 0;
  {
    const FailingAllocation none;
    use(whole, counts);
    count = none.count();
  }
  CHECK(pieces_left(whole) == kPieces);
  REQUIRE(count > 0);
  for (std::size_t k = 0; k < count; ++k) {
    CAPTURE(k, count);
    DeviceAllocator memory(0, kPieces * kPiece, ask);
    try {
      const FailingAllocation failing(k);
      use(memory, counts);
    } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): as it should be
    }
    CHECK(pieces_left(memory) >= kPieces - 1);
  }
}

}  // namespace fhe::test
