// SPDX-License-Identifier: Apache-2.0
// The model of the device: any registers, descriptors and memory, on all equipments. Whatever was
// done to it, it is as new after a reset.
#include <array>
#include <memory>
#include <vector>

#include "accel/fpga/contract/register_map.hpp"
#include "accel/fpga/model/model_transport.hpp"
#include "tests/accel/fpga/driver/raw_device.hpp"
#include "tests/hostile/target.hpp"

using namespace fhe;
using namespace fhe::fpga;
using namespace fhe::hostile;
using fhe::fpga::test::RawDevice;

namespace {

constexpr std::uint64_t kBase = std::uint64_t{4} << 30;
constexpr std::uint64_t kMemoryBytes = std::uint64_t{256} << 10;
constexpr std::uint64_t kMemoryWords = kMemoryBytes / kWordBytes;
constexpr std::size_t kMostActions = 256;
constexpr std::uint64_t kMostClocks = std::uint64_t{1} << 40;

constexpr std::array kEquipments{kStandardEquipment, kKaratsubaEquipment, kSuperSizeEquipment,
                                 kThroughputEquipment, kSuperSize128Equipment};

// Mostly of whole words inside of memory.
std::uint64_t address(ByteSource& in) {
  const std::uint64_t word = in.take(2);
  return word == 0xffff ? in.take(8) : kBase + word % (kMemoryWords + 2) * kWordBytes;
}

DeviceInteger operand(ByteSource& in) {
  const std::uint64_t start = address(in);
  return {start, static_cast<std::uint32_t>(in.take(3))};
}

// Of fields that make sense more often than random words do.
Command command(ByteSource& in) {
  Command made;
  made.opcode = kOpcodes.at(in.take(1) % kOpcodes.size());
  made.flags = static_cast<std::uint8_t>(in.take(1));
  made.tag = static_cast<std::uint16_t>(in.take(1));
  made.context = static_cast<std::uint16_t>(in.take(1) % 6);
  made.aux = static_cast<std::uint16_t>(in.take(2));
  made.source0 = operand(in);
  made.source1 = operand(in);
  made.destination = operand(in);
  made.aux2 = static_cast<std::uint32_t>(in.take(4));
  made.parameter = address(in);
  return made;
}

void put(RawDevice& device, ByteSource& in) {
  const std::uint64_t start = address(in);
  const auto bytes = in.take_span(in.take(1));
  std::vector<std::byte> words((bytes.size() + kWordBytes - 1) / kWordBytes * kWordBytes);
  std::ranges::transform(bytes, words.begin(), [](std::uint8_t byte) { return std::byte{byte}; });
  device.transport().put(start, words);
}

void get(RawDevice& device, ByteSource& in) {
  const std::uint64_t start = address(in);
  std::vector<std::byte> bytes(in.take(2));
  device.transport().get(start, bytes);
}

void act(RawDevice& device, ByteSource& in) {
  switch (in.take(1) % 8) {
    case 0:
      device.write(static_cast<std::uint32_t>(in.take(2)), static_cast<std::uint32_t>(in.take(4)));
      return;
    case 1:
      static_cast<void>(device.read(static_cast<std::uint32_t>(in.take(2))));
      return;
    case 2:
      return put(device, in);
    case 3:
      return get(device, in);
    case 4:
      device.transport().step(in.take(6) % kMostClocks);
      return;
    case 5:
      return device.give(command(in));
    case 6:
      static_cast<void>(device.transport().wait_interrupt(std::chrono::milliseconds(0)));
      return;
    default:
      return device.enable(static_cast<std::uint32_t>(in.take(1)));
  }
}

// A copy, which every device can make, and where it multiplies integers a product.
void check_works(RawDevice& device, const Equipment& equipment) {
  device.transport().reset();
  device.soft_reset();
  device.enable();
  const Integer x = (Integer(1) << 500) - 12345;
  device.put(device.base(), x);
  demand(device.status_of(copy(device.at(4, 512), device.at(0, 512))) == Status::ok &&
             device.get(device.at(4, 512).address) == x,
         "after a reset it does not copy");
  if (!equipment.has(Engine::fastest)) return;
  demand(device.status_of(square(device.at(8, 1024), device.at(0, 512))) == Status::ok &&
             device.get(device.at(8, 1024).address, 2) == x * x,
         "after a reset it does not square");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ByteSource in(data, size);
  const Equipment& equipment = kEquipments.at(in.take(1) % kEquipments.size());
  RawDevice device(std::make_unique<ModelTransport>(DeviceMemory(kBase, kMemoryBytes), equipment));
  device.enable();
  for (std::size_t i = 0; i < kMostActions && !in.is_empty(); ++i) {
    accepts({ErrorCode::invalid_argument}, [&] { act(device, in); });
  }
  check_works(device, equipment);
  return 0;
}
