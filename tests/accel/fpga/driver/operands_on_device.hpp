// SPDX-License-Identifier: Apache-2.0
// Operands in the memory of a device, with what they are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "accel/fpga/contract/stream_record.hpp"
#include "accel/fpga/driver/device.hpp"
#include "libfhe/arith/integer.hpp"

namespace fhe::fpga::test {

// An operand that lies in device memory.
struct Placed {
  DeviceBuffer buffer;
  std::uint32_t bits;
  Integer value;

  [[nodiscard]] DeviceInteger where() const { return {buffer.address(), bits}; }
};

inline Placed place(Device& device, const Integer& value, std::uint32_t bits) {
  return {device.store(value, bits), bits, value};
}

// Room for a result of `bits` bits, full of ones.
inline Placed room(Device& device, std::uint32_t bits) {
  const std::uint64_t all_bits = 8 * padded_bytes(bits);
  const Integer ones = power_of_two(all_bits) - 1;
  return {device.store(ones, static_cast<std::uint32_t>(all_bits)), bits, ones};
}

// Everything in a buffer, pad included.
inline Integer contents(Device& device, const DeviceBuffer& buffer) {
  return device.load(buffer, static_cast<std::uint32_t>(8 * buffer.size()));
}

// A word of indices, as sparse factors have it, and the number that they stand for.
inline Placed place_indices(Device& device, std::span<const std::uint16_t> indices) {
  std::array<std::uint16_t, kWordBytes / 2> word{};
  Integer y;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    word.at(i) = indices[i];
    y += power_of_two(indices[i]);
  }
  DeviceBuffer buffer = device.allocate(kWordBytes);
  device.put(buffer.address(), std::as_bytes(std::span(word)));
  return {std::move(buffer), 0, y};
}

// The word of a signed addend.
inline Placed place_signed(Device& device, const Integer& value) {
  Placed placed = place(device, low_bits(value, kWordBits), kWordBits);
  placed.value = value;
  return placed;
}

inline DeviceBuffer place_addresses(Device& device, const std::vector<std::uint64_t>& list) {
  DeviceBuffer buffer = device.allocate(8 * list.size());
  device.put(buffer.address(), std::as_bytes(std::span(list)));
  return buffer;
}

// The record of a stream.
inline DeviceBuffer place_stream(Device& device, const GeneratedStream& stream) {
  const StreamRecord record = encode_stream(stream);
  DeviceBuffer buffer = device.allocate(kWordBytes);
  device.put(buffer.address(), std::as_bytes(std::span(record)));
  return buffer;
}

// The descriptors of a program, with their CRCs, and the command that runs all of them.
inline DeviceBuffer place_program(Device& device, const std::vector<Command>& commands) {
  std::vector<DescriptorWords> list;
  for (const Command& command : commands) list.push_back(encode(command.with(flag::crc)));
  DeviceBuffer buffer = device.allocate(list.size() * kWordBytes);
  device.put(buffer.address(), std::as_bytes(std::span(list)));
  return buffer;
}

inline Command run_program(const DeviceBuffer& list) {
  return run(list.address(), static_cast<std::uint16_t>(list.size() / kWordBytes));
}

// The list of a sum of an encryption.
inline DeviceBuffer place_list(Device& device, const std::vector<Placed>& elements,
                               const std::vector<Placed>& weights) {
  std::vector<std::uint64_t> list;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    list.push_back(elements[i].buffer.address());
    list.push_back(weights[i].buffer.address());
  }
  return place_addresses(device, list);
}

// And that of a nested one, whose weights are given row by row.
inline DeviceBuffer place_nested_list(Device& device, const std::vector<Placed>& columns,
                                      const std::vector<Placed>& weights,
                                      const std::vector<Placed>& factors) {
  std::vector<std::uint64_t> list;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      list.push_back(columns[j].buffer.address());
      list.push_back(weights[i * columns.size() + j].buffer.address());
    }
    list.push_back(factors[i].buffer.address());
    list.push_back(0);
  }
  return place_addresses(device, list);
}

// A context for `modulus`, with the memory that it needs.
struct PlacedContext {
  Placed modulus;
  Placed reciprocal;
  DeviceBuffer scratch;
  Context context;
};

inline PlacedContext place_context(Device& device, const Integer& modulus, std::uint32_t gamma) {
  const auto phi = static_cast<std::uint32_t>(bit_length(modulus));
  const BarrettShape shape = barrett_shape(phi, gamma, device.info().equipment.reduction_bits());
  const Integer reciprocal = barrett_reciprocal(shape, modulus);
  PlacedContext placed{
      .modulus = place(device, modulus, phi),
      .reciprocal = place(device, reciprocal,
                          static_cast<std::uint32_t>(shape.reciprocal_words() * kWordBits)),
      .scratch = device.allocate(shape.scratch_words() * kWordBytes),
      .context = {.shape = shape,
                  .scratch_words = static_cast<std::uint32_t>(shape.scratch_words())}};
  placed.context.modulus = placed.modulus.buffer.address();
  placed.context.reciprocal = placed.reciprocal.buffer.address();
  placed.context.scratch = placed.scratch.address();
  return placed;
}

}  // namespace fhe::fpga::test
