// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/backend/device_operand.hpp"

#include <memory>
#include <utility>

#include "accel/fpga/contract/words.hpp"

namespace fhe::fpga {

namespace {

class ResidentOperand final : public Operand::Prepared {
 public:
  ResidentOperand(const Device& device, DeviceBuffer buffer)
      : device_(&device), buffer_(std::move(buffer)) {}

  // Whether it is an operand of `bits` bits there: one of another ring may be shorter or longer.
  [[nodiscard]] bool is_on(const Device& device, std::uint32_t bits) const {
    return device_ == &device && buffer_.size() == padded_bytes(bits);
  }
  [[nodiscard]] std::uint64_t address() const { return buffer_.address(); }

 private:
  const Device* device_;
  DeviceBuffer buffer_;
};

}  // namespace

Operand prepare_on(Device& device, const Integer& x, std::uint32_t bits) {
  try {
    return {x, std::make_shared<const ResidentOperand>(device, device.store(x, bits))};
  } catch (const OutOfDeviceMemory&) {
    return x;
  }
}

DeviceOperand::DeviceOperand(Device& device, const Operand& operand, std::uint32_t bits)
    : place_{.address = 0, .bits = bits} {
  const auto* resident = dynamic_cast<const ResidentOperand*>(operand.prepared().get());
  if (resident != nullptr && resident->is_on(device, bits)) {
    place_.address = resident->address();
  } else {
    copy_ = device.store(operand.value(), bits);
    place_.address = copy_.address();
  }
}

}  // namespace fhe::fpga
