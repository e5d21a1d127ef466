// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/driver/device_allocator.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "accel/fpga/contract/errors.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::fpga {

namespace {

constexpr std::uint64_t kBase = std::uint64_t{4} << 30;
constexpr std::uint64_t kSize = 64 * 1024;

CommandCounts nothing_under_way() {
  return {};
}

}  // namespace

TEST_CASE("buffers are whole words, apart, inside the memory") {
  DeviceAllocator memory(kBase, kSize, nothing_under_way);
  const DeviceBuffer a = memory.allocate(1);
  const DeviceBuffer b = memory.allocate(64);
  const DeviceBuffer c = memory.allocate(65);
  CHECK(a.size() == 64);
  CHECK(b.size() == 64);
  CHECK(c.size() == 128);
  CHECK(a.address() == kBase);
  CHECK(b.address() == kBase + 64);
  CHECK(c.address() == kBase + 128);
  CHECK(memory.free_bytes() == kSize - 256);
  CHECK(memory.allocate(0).size() == 0);
}

TEST_CASE("freed neighbours are one piece again, in every order of freeing") {
  std::vector<std::size_t> order = {0, 1, 2, 3};
  do {
    DeviceAllocator memory(kBase, kSize, nothing_under_way);
    std::vector<DeviceBuffer> buffers;
    for (std::size_t i = 0; i < order.size(); ++i) buffers.push_back(memory.allocate(kSize / 4));
    CHECK(memory.free_bytes() == 0);
    for (const std::size_t i : order) buffers[i] = {};
    CHECK(memory.largest_free() == kSize);
    CHECK(memory.allocate(kSize).address() == kBase);
  } while (std::ranges::next_permutation(order).found);
}

TEST_CASE("a full memory says so, and what would fit") {
  DeviceAllocator memory(kBase, kSize, nothing_under_way);
  std::vector<DeviceBuffer> buffers;
  for (int i = 0; i < 4; ++i) buffers.push_back(memory.allocate(kSize / 4));
  CHECK_THROWS_AS(memory.allocate(1), OutOfDeviceMemory);
  buffers[1] = {};
  buffers[3] = {};
  CHECK_THROWS_WITH(memory.allocate(kSize / 2),
                    Catch::Matchers::ContainsSubstring("the largest piece has 16384"));
  CHECK(memory.allocate(kSize / 4).address() == kBase + kSize / 4);
  CHECK_THROWS_AS(memory.allocate(~std::uint64_t{0}), OutOfDeviceMemory);
  CHECK_THROWS_AS(memory.allocate(kSize + 1), OutOfDeviceMemory);
}

TEST_CASE("what commands may still use is not given away") {
  CommandCounts counts{.given = 3, .ended = 2};
  DeviceAllocator memory(kBase, kSize, [&] { return counts; });
  DeviceBuffer buffer = memory.allocate(kSize);
  buffer = {};
  CHECK(memory.awaiting_bytes() == kSize);
  CHECK(memory.free_bytes() == 0);
  CHECK_THROWS_AS(memory.allocate(64), OutOfDeviceMemory);
  counts = {.given = 7, .ended = 3};  // later ones do not matter
  CHECK(memory.awaiting_bytes() == 0);
  CHECK(memory.allocate(kSize).size() == kSize);
}

TEST_CASE("buffers move, and may outlive the memory") {
  std::optional<DeviceAllocator> memory(std::in_place, kBase, kSize, nothing_under_way);
  DeviceBuffer a = memory->allocate(100);
  const std::uint64_t address = a.address();
  DeviceBuffer b = std::move(a);
  CHECK(b.address() == address);
  CHECK(memory->free_bytes() == kSize - 128);
  b = memory->allocate(64);
  CHECK(memory->free_bytes() == kSize - 64);
  memory.reset();
  CHECK(b.size() == 64);
}

TEST_CASE("many buffers by many threads never overlap, and all come back") {
  DeviceAllocator memory(kBase, kSize, nothing_under_way);
  const auto work = [&](std::uint64_t seed, bool& apart) {
    fhe::test::Operands operands(seed);
    std::map<std::uint64_t, DeviceBuffer> mine;
    for (int step = 0; step < 2000; ++step) {
      if (mine.size() > 8 || (!mine.empty() && operands.coin())) {
        mine.erase(std::next(mine.begin(),
                             static_cast<std::ptrdiff_t>(operands.between(0, mine.size() - 1))));
        continue;
      }
      DeviceBuffer buffer = memory.allocate(operands.between(1, 1000));
      const auto next = mine.lower_bound(buffer.address());
      if (next != mine.end()) apart &= buffer.address() + buffer.size() <= next->first;
      if (next != mine.begin()) {
        const DeviceBuffer& before = std::prev(next)->second;
        apart &= before.address() + before.size() <= buffer.address();
      }
      mine.emplace(buffer.address(), std::move(buffer));
    }
  };
  std::array<bool, 4> apart{true, true, true, true};
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < apart.size(); ++i)
      threads.emplace_back([&, i] { work(i, apart[i]); });
  }
  CHECK(apart == std::array{true, true, true, true});
  CHECK(memory.largest_free() == kSize);
}

}  // namespace fhe::fpga
