// SPDX-License-Identifier: Apache-2.0
// Which products a driver has made in four steps, where their scratch memory is, and that they are
// right, on the model.
#include <cstdint>
#include <memory>

#include "accel/fpga/backend/device_session.hpp"
#include "accel/fpga/backend/reductions.hpp"
#include "accel/fpga/contract/command.hpp"
#include "accel/fpga/driver/engine_choice.hpp"
#include "accel/fpga/model/model_transport.hpp"
#include "accel/fpga/transport/device_memory.hpp"
#include "libfhe/arith/integer.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::fpga {

namespace {

using fhe::test::Operands;

constexpr std::uint32_t kLarge = 19'350'000;  // bits of CNT Large

DeviceSession session_of(const Equipment& equipment, std::uint64_t mebibytes) {
  const DeviceMemory memory(std::uint64_t{4} << 30, mebibytes << 20);
  return DeviceSession(std::make_unique<ModelTransport>(memory.share(), equipment));
}

// Of operands of so many words, which nobody looks at.
Command product_of(std::uint32_t x_words, std::uint32_t y_words) {
  return multiply({0, 512 * (x_words + y_words)}, {1 << 30, 512 * x_words},
                  {2 << 28, 512 * y_words});
}

Command square_of(std::uint32_t words) {
  return square({0, 1'024 * words}, {0, 512 * words});
}

}  // namespace

TEST_CASE("products are made in four steps where these are faster than blocks") {
  const auto chosen = [](const Command& product) {
    return choose_four_steps(kThroughputEquipment, product);
  };
  CHECK_FALSE(chosen(product_of(1, 1)));
  CHECK_FALSE(chosen(product_of(5'632, 5'632)));
  CHECK_FALSE(chosen(product_of(100, 40'000)));
  CHECK_FALSE(chosen(product_of(17'000, 17'000)));
  CHECK(chosen(product_of(20'000, 20'000)) == 2U);
  CHECK_FALSE(chosen(product_of(22'529, 22'528)));
  CHECK(chosen(product_of(37'794, 37'794)) == 3U);
  CHECK(chosen(product_of(45'056, 45'056)) == 3U);
  CHECK_FALSE(chosen(product_of(45'057, 45'056)));
  CHECK(chosen(square_of(11'264)) == 1U);
  CHECK_FALSE(chosen(square_of(5'632)));
  CHECK(chosen(multiply({0, 512 * 22'528}, {0, 512 * 11'264}, {0, 512 * 11'264})) == 1U);
  CHECK_FALSE(chosen(by(Engine::throughput, product_of(37'794, 37'794))));
  CHECK_FALSE(choose_four_steps(kStandardEquipment, product_of(37'794, 37'794)));
}

TEST_CASE("reductions have a cyclic product in four steps where it is faster than blocks") {
  const auto chosen = [](std::uint32_t phi, std::uint32_t gamma) {
    return choose_four_steps(kThroughputEquipment, barrett_shape(phi, gamma));
  };
  CHECK_FALSE(chosen(150'000, 150'000));
  CHECK_FALSE(chosen(4'200'000, 4'200'000));
  CHECK(chosen(512 * 22'000, 512 * 22'000) == 1U);
  CHECK(chosen(kLarge, kLarge + 96) == 2U);
  CHECK_FALSE(chosen(kLarge, 500));
  constexpr std::uint32_t kMost = 512 * 45'056;
  CHECK(chosen(kMost - 1, kMost - 2) == 2U);
  CHECK_FALSE(chosen(kMost, kMost - 2));
  CHECK_FALSE(chosen(kMost - 1, kMost - 1));
  CHECK_FALSE(choose_four_steps(kStandardEquipment, barrett_shape(kLarge, kLarge)));
}

TEST_CASE("transforms are kept where both products of a reduction are faster for it") {
  const BarrettShape shape = barrett_shape(kLarge, kLarge);
  const auto are_taken = [&](std::uint32_t bits) {
    return takes_transforms(kThroughputEquipment, shape, words_for_bits(bits), 2);
  };
  CHECK(are_taken(2 * kLarge));
  CHECK_FALSE(are_taken(kLarge + 500));
  CHECK_FALSE(are_taken(500));
  CHECK_FALSE(are_taken(0));
  // q before its shift is longer than twice as many points.
  constexpr std::uint32_t kMost = 512 * 45'056;
  CHECK_FALSE(takes_transforms(kThroughputEquipment, barrett_shape(kMost - 1, kMost - 2),
                               words_for_bits(std::uint64_t{2} * kMost - 3), 2));
}

TEST_CASE("of the reductions of a program the first leaves its transforms to the others") {
  DeviceSession session = session_of(kThroughputEquipment, 192);
  const BarrettShape shape = barrett_shape(kLarge, kLarge);
  KeptTransforms transforms;
  std::uint64_t rooms = 0;
  const auto kept = [&](Device& device, const Command& reduction) {
    return transforms.kept_for(reduction, shape, device, [&](std::uint64_t bytes) {
      CHECK(bytes == transform_bytes(2));
      return ++rooms << 30;
    });
  };
  const Command blocks = reduce(0, {0, kLarge}, {1 << 30, 2 * kLarge});
  const Command four_steps = in_four_steps(blocks, 2, 0);
  const Command brief = in_four_steps(reduce(0, {0, kLarge}, {1 << 30, kLarge + 9}), 2, 0);
  DeviceSession small = session_of(kThroughputEquipment, 90);
  CHECK(kept(small.device, four_steps) == four_steps);
  CHECK(kept(session.device, blocks) == blocks);
  CHECK(kept(session.device, brief) == brief);
  CHECK(rooms == 0);
  CHECK(kept(session.device, four_steps) ==
        with_transforms(four_steps, Transforms::left, std::uint64_t{1} << 30));
  for (int i = 0; i < 2; ++i) {
    CHECK(kept(session.device, four_steps) ==
          with_transforms(four_steps, Transforms::taken, std::uint64_t{1} << 30));
    CHECK(kept(session.device, brief) == brief);
  }
  CHECK(rooms == 1);
}

TEST_CASE("the scratch memory of products in four steps is taken once, where there is room") {
  const Command large = product_of(37'794, 37'794);
  DeviceSession session = session_of(kThroughputEquipment, 192);
  const std::uint64_t free = session.device.memory().free_bytes();
  CHECK(session.four_steps.faster(session.device, product_of(2, 3)) == product_of(2, 3));
  CHECK(session.device.memory().free_bytes() == free);
  const Command first = session.four_steps.faster(session.device, large);
  CHECK(four_steps_of(first) == 3U);
  CHECK(free - session.device.memory().free_bytes() == four_step_scratch_bytes(3));
  const Command second = session.four_steps.faster(session.device, product_of(20'000, 20'000));
  CHECK(four_steps_of(second) == 2U);
  CHECK(second.parameter == first.parameter);
  CHECK(free - session.device.memory().free_bytes() == four_step_scratch_bytes(3));
  DeviceSession small = session_of(kThroughputEquipment, 100);
  CHECK(small.four_steps.faster(small.device, large) == large);
  const BarrettShape shape = barrett_shape(kLarge, kLarge);
  const Command reduction = reduce(0, {0, kLarge}, {1 << 30, 2 * kLarge});
  CHECK(session.four_steps.faster(session.device, reduction, shape) ==
        in_four_steps(reduction, 2, first.parameter));
  CHECK(small.four_steps.faster(small.device, reduction, shape) == reduction);
  DeviceSession other = session_of(kStandardEquipment, 192);
  CHECK(other.four_steps.faster(other.device, large) == large);
}

TEST_CASE("a product of CNT Large in four steps is right, and takes the clocks of its law") {
  Operands operands(96);
  DeviceSession session = session_of(kThroughputEquipment, 192);
  Device& device = session.device;
  const Integer x = operands.exactly(kLarge), y = operands.exactly(kLarge);
  const DeviceBuffer a = device.store(x, kLarge), b = device.store(y, kLarge);
  const DeviceBuffer product = device.allocate(padded_bytes(2 * kLarge));
  const Command command =
      multiply({product.address(), 2 * kLarge}, {a.address(), kLarge}, {b.address(), kLarge});
  const std::uint64_t by_blocks = device.run(command).cycles;
  const std::uint64_t clocks = device.run(session.four_steps.faster(device, command)).cycles;
  CHECK(device.load(product, 2 * kLarge) == x * y);
  constexpr std::uint64_t kChecks = 14 + 15;  // and the CRC of the descriptor
  CHECK(clocks == kChecks + four_step_clocks(3, SecondOperand::other, words_for_bits(2 * kLarge)));
  CHECK(10 * clocks < 6 * by_blocks);
}

TEST_CASE("a reduction of CNT Large is right by a cyclic product too, and takes fewer clocks") {
  Operands operands(97);
  DeviceSession session = session_of(kThroughputEquipment, 192);
  Device& device = session.device;
  const Integer modulus = operands.exactly(kLarge), x = operands.exactly(2 * kLarge);
  const Reduction reduction(device, modulus, kLarge);
  device.set_context(0, reduction.context());
  const DeviceBuffer argument = device.store(x, 2 * kLarge);
  const DeviceBuffer result = device.allocate(padded_bytes(kLarge));
  const Command command = reduce(0, {result.address(), kLarge}, {argument.address(), 2 * kLarge});
  const std::uint64_t by_blocks = device.run(command).cycles;
  const Command cyclic = session.four_steps.faster(device, command, reduction.context().shape);
  CHECK(cyclic != command);
  const std::uint64_t clocks = device.run(cyclic).cycles;
  CHECK(device.load(result, kLarge) == x % modulus);
  CHECK(100 * clocks < 82 * by_blocks);
  const DeviceBuffer transforms = device.allocate(transform_bytes(2));
  for (const auto& [use, percents] : {std::pair{Transforms::left, 83U}, {Transforms::taken, 68U}}) {
    const std::uint64_t kept =
        device.run(with_transforms(cyclic, use, transforms.address())).cycles;
    CHECK(device.load(result, kLarge) == x % modulus);
    CHECK(100 * kept < percents * by_blocks);
  }
}

}  // namespace fhe::fpga
