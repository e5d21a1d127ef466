// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/backend/device_operand.hpp"

#include <utility>

#include "accel/fpga/contract/words.hpp"

namespace fhe::fpga {

namespace {

// Null where there is none.
const ElementOnDevice* element_of(const Operand& x, const Device& device, std::uint32_t bits) {
  const auto* const element = dynamic_cast<const ElementOnDevice*>(x.prepared().get());
  return element != nullptr && element->is_on(device, bits) ? element : nullptr;
}

}  // namespace

std::uint64_t residue_bytes(std::uint32_t bits) {
  return padded_bytes(std::uint64_t{bits} + 1);
}

DeviceBuffer allocate_element(Device& device, std::uint32_t bits) {
  const std::uint64_t bytes = residue_bytes(bits);
  const DeviceAllocator& memory = device.memory();
  if (memory.free_bytes() < memory.size() / 4 + bytes) {
    throw OutOfDeviceMemory("the rest of the device's memory is for what works on its elements");
  }
  return device.allocate(bytes);
}

bool is_on_device(const Operand& x, const Device& device, std::uint32_t bits) {
  return element_of(x, device, bits) != nullptr;
}

Operand put_on_device(const std::shared_ptr<DeviceSession>& session, const Operand& x,
                      std::uint32_t bits) {
  DeviceBuffer buffer = allocate_element(session->device, bits);
  session->device.store(buffer, x.value(), bits);
  return x.with(std::make_shared<const ElementOnDevice>(session, std::move(buffer), bits));
}

DeviceOperand::DeviceOperand(Device& device, const Operand& operand, std::uint32_t bits) {
  if (const ElementOnDevice* const element = element_of(operand, device, bits)) {
    place_ = element->place();
  } else {
    copy_ = device.store(operand.value(), bits);
    place_ = {.address = copy_.address(), .bits = bits};
  }
}

}  // namespace fhe::fpga
