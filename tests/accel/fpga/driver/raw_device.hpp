// SPDX-License-Identifier: Apache-2.0
// A device by its registers, without a driver: for what a driver would hide.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "accel/fpga/contract/command.hpp"
#include "accel/fpga/contract/context.hpp"
#include "accel/fpga/contract/register_values.hpp"
#include "accel/fpga/contract/transport.hpp"
#include "accel/fpga/contract/words.hpp"
#include "libfhe/arith/integer.hpp"

namespace fhe::fpga::test {

// The four words of a completion.
struct RawCompletion {
  Status status;
  std::uint16_t tag;
  std::uint32_t cycles;
  std::uint32_t info;
  std::uint32_t sequence;
};

class RawDevice {
 public:
  explicit RawDevice(std::unique_ptr<LocalTransport> transport) : transport_(std::move(transport)) {
    base_ = join_halves(read(reg::mem_base_lo), read(reg::mem_base_hi));
    size_ = join_halves(read(reg::mem_size_lo), read(reg::mem_size_hi));
  }

  [[nodiscard]] LocalTransport& transport() { return *transport_; }
  [[nodiscard]] std::uint64_t base() const { return base_; }
  [[nodiscard]] std::uint64_t end() const { return base_ + size_; }

  [[nodiscard]] std::uint32_t read(std::uint32_t offset) {
    return transport_->read_register(offset);
  }
  void write(std::uint32_t offset, std::uint32_t value) {
    transport_->write_register(offset, value);
  }
  [[nodiscard]] bool status(std::uint32_t number) { return has_bit(read(reg::status), number); }
  [[nodiscard]] Status error_code() { return static_cast<Status>(read(reg::err_code)); }

  void enable(std::uint32_t more = 0) { write(reg::ctrl, bit(ctrl::enable) | more); }
  void soft_reset(std::uint32_t more = 0) {
    write(reg::ctrl, bit(ctrl::soft_reset) | more);
    while (has_bit(read(reg::ctrl), ctrl::soft_reset)) transport_->step(100);
    sequence_ = 0;
  }

  void fill_window(const DescriptorWords& words) {
    for (std::uint32_t i = 0; i < words.size(); ++i) write(reg::cmd_window + 4 * i, words[i]);
  }
  void give(const DescriptorWords& words) {
    fill_window(words);
    write(reg::cmd_doorbell, sequence_++);
  }
  void give(const Command& command) { give(encode(command)); }

  // Lets the device run until there is a completion, and takes it.
  RawCompletion take() {
    for (int turn = 0; turn < 1'000'000 && !status(device_status::cpl_available); ++turn)
      transport_->step(100);
    const std::uint32_t first = read(reg::cpl_window);
    const std::uint32_t cycles = read(reg::cpl_window + 4 * completion::cycles);
    const std::uint32_t info = read(reg::cpl_window + 4 * completion::info);
    const std::uint32_t sequence = read(reg::cpl_window + 4 * completion::sequence);
    return {static_cast<Status>(first & 0xffff), static_cast<std::uint16_t>(first >> 16), cycles,
            info, sequence};
  }

  RawCompletion run(const Command& command) {
    give(command);
    return take();
  }
  [[nodiscard]] Status status_of(const Command& command) { return run(command).status; }

  // The operand that begins `words` words above the beginning of memory.
  [[nodiscard]] DeviceInteger at(std::uint64_t words, std::uint32_t bits) const {
    return {base_ + words * kWordBytes, bits};
  }
  void put(std::uint64_t address, const Integer& value, std::uint64_t words = 1) {
    std::vector<std::byte> bytes(words * kWordBytes);
    to_bytes(value, bytes);
    transport_->put(address, bytes);
  }
  [[nodiscard]] Integer get(std::uint64_t address, std::uint64_t words = 1) {
    std::vector<std::byte> bytes(words * kWordBytes);
    transport_->get(address, bytes);
    return from_bytes(bytes);
  }
  void put_record(std::uint64_t address, const Context& context) {
    const ContextRecord record = encode_context(context);
    transport_->put(address, std::as_bytes(std::span(record)));
  }

 private:
  std::unique_ptr<LocalTransport> transport_;
  std::uint64_t base_ = 0;
  std::uint64_t size_ = 0;
  std::uint32_t sequence_ = 0;
};

// A modulus with its reciprocal in the memory of a device, and the context of its reductions.
inline Context place_modulus(RawDevice& device, const BarrettShape& shape, const Integer& modulus) {
  const Context context = {.shape = shape,
                           .modulus = device.at(1000, 0).address,
                           .reciprocal = device.at(1010, 0).address,
                           .scratch = device.at(1020, 0).address,
                           .scratch_words = static_cast<std::uint32_t>(shape.scratch_words())};
  device.put(context.modulus, modulus, shape.modulus_words());
  device.put(context.reciprocal, barrett_reciprocal(shape, modulus), shape.reciprocal_words());
  return context;
}

}  // namespace fhe::fpga::test
