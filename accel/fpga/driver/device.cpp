// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/driver/device.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "libfhe/error.hpp"

namespace fhe::fpga {

namespace {

// Bytes for an operand of `bits` bits, as they lie in device memory.
std::vector<std::byte> operand_bytes(const Integer& x, std::uint32_t bits) {
  if (x < 0 || bit_length(x) > bits) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("an integer of {} bits{} is no operand of {} bits", bit_length(x),
                            x < 0 ? ", negative," : "", bits));
  }
  std::vector<std::byte> bytes(padded_bytes(bits));
  to_bytes(x, bytes);
  return bytes;
}

void check_room(const DeviceBuffer& buffer, std::uint32_t bits) {
  if (buffer.size() < padded_bytes(bits)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("an operand of {} bits does not fit into a buffer of {} bytes", bits,
                            buffer.size()));
  }
}

void check_memory(const DeviceInfo& info) {
  if (info.memory_base % kWordBytes != 0 || info.memory_bytes % kWordBytes != 0 ||
      info.memory_bytes == 0) {
    throw Error(ErrorCode::unsupported,
                fmt::format("the device reports a memory of {} bytes at {:#x}: load another "
                            "bitstream",
                            info.memory_bytes, info.memory_base));
  }
}

}  // namespace

Device::Device(std::unique_ptr<Transport> transport, const DeviceOptions& options)
    : transport_(std::move(transport)),
      options_(options),
      link_(*transport_),
      info_(link_.identify()),
      queue_(*transport_, link_, options_),
      memory_(info_.memory_base, info_.memory_bytes, [this] { return queue_.counts(); }) {
  check_memory(info_);
  records_ = memory_.allocate(2 * parameter::contexts * kWordBytes);
}

Device::~Device() {
  queue_.stop();
}

Ticket Device::submit(const Command& command) {
  return queue_.submit(command);
}

Completion Device::wait(const Ticket& ticket) {
  return queue_.wait(ticket);
}

Completion Device::run(const Command& command) {
  return wait(submit(command));
}

void Device::finish() {
  queue_.finish();
}

void Device::set_context(std::uint16_t number, const Context& context) {
  if (number >= parameter::contexts) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("the device has {} contexts, and no number {}", parameter::contexts, number));
  }
  const std::lock_guard lock(setting_context_);
  bool& second = second_record_[number];
  const std::uint64_t place = 2 * std::uint64_t{number} + (second ? 0 : 1);
  const std::uint64_t address = records_.address() + place * kWordBytes;
  const ContextRecord record = encode_context(context);
  put(address, std::as_bytes(std::span(record)));
  run({.opcode = Opcode::set_ctx, .context = number, .parameter = address});
  second = !second;
}

DeviceBuffer Device::allocate(std::uint64_t bytes) {
  try {
    return memory_.allocate(bytes);
  } catch (const OutOfDeviceMemory&) {
    if (memory_.awaiting_bytes() == 0) throw;
  }
  finish();
  return memory_.allocate(bytes);
}

// Copying is harmless to repeat.
template <class Transfer>
void Device::transfer(std::uint64_t address, std::uint64_t size, const Transfer& body) {
  if (size == 0) return;
  if (address % kWordBytes != 0 || address < info_.memory_base ||
      address - info_.memory_base > info_.memory_bytes ||
      size > info_.memory_bytes - (address - info_.memory_base)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} bytes at {:#x} are not all in the device's memory, or do not begin "
                            "at a multiple of {}",
                            size, address, kWordBytes));
  }
  for (unsigned attempt = 0;; ++attempt) {
    try {
      return body();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::io) throw;
      queue_.check_present();
      if (attempt >= options_.repeats) throw;
    }
  }
}

void Device::put(std::uint64_t address, std::span<const std::byte> bytes) {
  const std::size_t whole = bytes.size() / kWordBytes * kWordBytes;
  std::array<std::byte, kWordBytes> last{};
  std::ranges::copy(bytes.subspan(whole), last.begin());
  transfer(address, bytes.size(), [&] {
    if (whole > 0) transport_->put(address, bytes.first(whole));
    if (whole < bytes.size()) transport_->put(address + whole, last);
  });
}

void Device::get(std::uint64_t address, std::span<std::byte> bytes) {
  const std::size_t whole = bytes.size() / kWordBytes * kWordBytes;
  std::array<std::byte, kWordBytes> last{};
  transfer(address, bytes.size(), [&] {
    if (whole > 0) transport_->get(address, bytes.first(whole));
    if (whole < bytes.size()) transport_->get(address + whole, last);
  });
  std::ranges::copy(std::span(last).first(bytes.size() - whole),
                    bytes.begin() + static_cast<std::ptrdiff_t>(whole));
}

void Device::store(const DeviceBuffer& buffer, const Integer& x, std::uint32_t bits) {
  check_room(buffer, bits);
  put(buffer.address(), operand_bytes(x, bits));
}

DeviceBuffer Device::store(const Integer& x, std::uint32_t bits) {
  DeviceBuffer buffer = allocate(padded_bytes(bits));
  store(buffer, x, bits);
  return buffer;
}

Integer Device::load(const DeviceBuffer& buffer, std::uint32_t bits) {
  check_room(buffer, bits);
  std::vector<std::byte> bytes(padded_bytes(bits));
  get(buffer.address(), bytes);
  return low_bits(from_bytes(bytes), bits);
}

std::map<Opcode, CommandStatistics> Device::statistics() const {
  return queue_.statistics();
}

std::uint64_t Device::counter(std::uint32_t number) {
  return queue_.counter(number);
}

void Device::reset() {
  queue_.reset();
}

}  // namespace fhe::fpga
