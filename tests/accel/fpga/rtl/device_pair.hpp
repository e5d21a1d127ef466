// SPDX-License-Identifier: Apache-2.0
// A simulated device beside its model, given the same commands; and what is checked of the devices
// of more than one equipment.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "accel/fpga/contract/command.hpp"
#include "accel/fpga/contract/context.hpp"
#include "accel/fpga/contract/stream_record.hpp"
#include "accel/fpga/model/model_transport.hpp"
#include "accel/fpga/sim/sim_transport.hpp"
#include "accel/fpga/transport/device_memory.hpp"
#include "tests/accel/fpga/driver/raw_device.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::fpga::test {

using fhe::test::Operands;

constexpr std::uint64_t kMemoryBytes = std::uint64_t{4} << 20;
constexpr std::uint64_t kMemoryWords = kMemoryBytes / kWordBytes;

inline DeviceMemory small_memory() {
  return {std::uint64_t{4} << 30, kMemoryBytes};
}

inline RawDevice simulated(const SimMemoryOptions& options = {}) {
  RawDevice device(make_sim_transport(small_memory(), options));
  device.enable();
  return device;
}

inline RawDevice modelled() {
  RawDevice device(std::make_unique<ModelTransport>(small_memory()));
  device.enable();
  return device;
}

// A command takes so many clocks on the device, and as many by the law of its model.
inline void check_clocks(RawDevice& device, RawDevice& model, const Command& command,
                         std::uint32_t clocks) {
  CHECK(device.run(command).cycles == clocks);
  CHECK(model.run(command).cycles == clocks);
}

// Two devices with the same memory, given the same commands.
class Pair {
 public:
  Pair() : Pair(simulated(), modelled()) {}
  Pair(RawDevice rtl, RawDevice model) : rtl_(std::move(rtl)), model_(std::move(model)) {}
  // With another memory, clocks are not those of the model.
  explicit Pair(const SimMemoryOptions& options)
      : rtl_(simulated(options)), model_(modelled()), same_clocks_(false) {}

  [[nodiscard]] DeviceInteger at(std::uint64_t words, std::uint32_t bits) const {
    return rtl_.at(words, bits);
  }
  void put(std::uint64_t word, const Integer& value, std::uint64_t words) {
    rtl_.put(rtl_.at(word, 0).address, value, words);
    model_.put(model_.at(word, 0).address, value, words);
  }
  void put_record(std::uint64_t word, const Context& context) {
    rtl_.put_record(rtl_.at(word, 0).address, context);
    model_.put_record(model_.at(word, 0).address, context);
  }

  // The same list of descriptors in both memories, and the command that runs it.
  Command place_program(std::uint64_t word, const std::vector<Command>& commands) {
    std::vector<DescriptorWords> list;
    for (const Command& command : commands) list.push_back(encode(command.with(flag::crc)));
    rtl_.transport().put(rtl_.at(word, 0).address, std::as_bytes(std::span(list)));
    model_.transport().put(model_.at(word, 0).address, std::as_bytes(std::span(list)));
    return fpga::run(at(word, 0).address, static_cast<std::uint16_t>(list.size()));
  }

  // Statuses and info agree, and with them the words of the destination and, nearly, the clocks.
  Status run(const Command& command) {
    INFO(name(command.opcode) << ", " << command.source0.bits << " and " << command.source1.bits
                              << " bits to " << command.destination.bits << ", aux "
                              << command.aux);
    const RawCompletion rtl = rtl_.run(command);
    const RawCompletion model = model_.run(command);
    CHECK(name(rtl.status) == name(model.status));
    CHECK(rtl.tag == model.tag);
    CHECK(rtl.sequence == model.sequence);
    if (rtl.status != Status::ok || model.status != Status::ok) return rtl.status;
    CHECK(rtl.info == model.info);
    if (same_clocks_) check_clocks(rtl.cycles, model.cycles + subtraction_clocks(command, rtl));
    const std::uint64_t words = words_for_bits(command.destination.bits);
    if (words != 0)
      CHECK(rtl_.get(command.destination.address, words) ==
            model_.get(command.destination.address, words));
    return rtl.status;
  }

  [[nodiscard]] bool memories_agree() {
    return rtl_.get(rtl_.base(), kMemoryWords) == model_.get(model_.base(), kMemoryWords);
  }

 private:
  // The model does not count upon the last subtraction of a reduction, which reads the modulus.
  static std::uint32_t subtraction_clocks(const Command& command, const RawCompletion& rtl) {
    const bool reduces = command.opcode == Opcode::modred && has_bit(rtl.info, info::subtracted);
    return reduces ? static_cast<std::uint32_t>(words_for_bits(command.destination.bits)) : 0;
  }

  // A subtraction that is not needed is what may differ most.
  static void check_clocks(std::uint32_t rtl, std::uint32_t model) {
    CHECK(rtl <= model + 40 + model / 100);
    CHECK(model <= rtl + 40 + rtl / 100);
  }

  RawDevice rtl_;
  RawDevice model_;
  bool same_clocks_ = true;
};

// Sources lie in the first half of memory, the destination in the second.
constexpr std::uint64_t kDestinationWord = kMemoryWords / 2;

inline DeviceInteger source(Pair& devices, Operands& operands, std::uint32_t bits) {
  const std::uint64_t words = words_for_bits(bits);
  const std::uint64_t word = operands.between(0, kDestinationWord - 1 - words);
  const Integer value = operands.coin() ? operands.bits(bits) : operands.runs(bits);
  devices.put(word, value, words);
  return devices.at(word, bits);
}

inline std::uint32_t short_bits(Operands& operands) {
  return static_cast<std::uint32_t>(operands.between(0, 5) == 0 ? operands.between(0, 4) * 512
                                                                : operands.between(0, 9000));
}

inline Command short_command(Pair& devices, Operands& operands) {
  const DeviceInteger x = source(devices, operands, short_bits(operands));
  const DeviceInteger y = source(devices, operands, short_bits(operands));
  const auto room = static_cast<std::uint32_t>(operands.between(0, 1500));
  const DeviceInteger z = devices.at(kDestinationWord, std::max(x.bits, y.bits) + room);
  switch (operands.between(0, 7)) {
    case 0:
      return add(z, x, y);
    case 1:
      return subtract(z, x, y);
    case 2:
      return subtract_if_not_less(z, x, y);
    case 3:
      return subtract_if_not_less({x.address, z.bits}, x, x);
    case 4:
      return affine(z, x, y.address);
    case 5:
      return copy(z, x);
    case 6:
      return clear(z);
    default:
      return add({x.address, std::max(x.bits, y.bits)}, x, y);
  }
}

inline Command sparse_command(Pair& devices, Operands& operands) {
  const DeviceInteger x = source(devices, operands, short_bits(operands));
  const auto weight = static_cast<std::uint16_t>(operands.between(0, 15));
  Integer indices;
  for (int i = 0; i < 15; ++i) indices = (indices << 16) + operands.between(0, 4095);
  const std::uint64_t word = kDestinationWord - 1;
  devices.put(word, indices, 1);
  const DeviceInteger z = devices.at(kDestinationWord, x.bits + 4096);
  const std::uint64_t at = devices.at(word, 0).address;
  return operands.coin() ? sparse_multiply(z, x, at, weight)
                         : sparse_multiply_add(z, x, at, weight);
}

// Something that is wrong about a command.
inline Command spoilt(Command command, Operands& operands) {
  const auto spoil = [&](std::uint64_t& address) {
    constexpr std::array<std::uint64_t, 3> kOffsets{32, 4 * kMemoryBytes, kMemoryBytes / 2};
    address += kOffsets.at(operands.between(0, 2));
  };
  switch (operands.between(0, 5)) {
    case 0:
      command.opcode = static_cast<Opcode>(operands.between(0, 255));
      break;
    case 1:
      spoil(command.source0.address);
      break;
    case 2:
      spoil(command.source1.address);
      break;
    case 3:
      spoil(command.destination.address);
      break;
    case 4:
      command.destination = {command.source0.address + 64, command.destination.bits};
      break;
    default:
      command.destination.bits = static_cast<std::uint32_t>(operands.between(0, 2000));
  }
  return command;
}

// A modulus with its context, at the beginning of memory.
struct PlacedModulus {
  Integer modulus;
  BarrettShape shape;
};

constexpr std::uint16_t kContext = 2;
constexpr std::uint64_t kFreeWord = 2000;  // above a modulus with its context

inline PlacedModulus place_modulus(Pair& devices, const Integer& modulus, std::uint32_t gamma,
                                   std::uint64_t free_word = kFreeWord) {
  const auto phi = static_cast<std::uint32_t>(bit_length(modulus));
  const BarrettShape shape = barrett_shape(phi, gamma);
  const std::uint64_t reciprocal_word = 1 + shape.modulus_words();
  const std::uint64_t scratch_word = reciprocal_word + shape.reciprocal_words();
  REQUIRE(scratch_word + shape.scratch_words() <= free_word);
  devices.put(1, modulus, shape.modulus_words());
  devices.put(reciprocal_word, barrett_reciprocal(shape, modulus), shape.reciprocal_words());
  devices.put_record(0, {.shape = shape,
                         .modulus = devices.at(1, 0).address,
                         .reciprocal = devices.at(reciprocal_word, 0).address,
                         .scratch = devices.at(scratch_word, 0).address,
                         .scratch_words = static_cast<std::uint32_t>(shape.scratch_words())});
  CHECK(devices.run({.opcode = Opcode::set_ctx,
                     .context = kContext,
                     .parameter = devices.at(0, 0).address}) == Status::ok);
  return {modulus, shape};
}

// The sum of some terms, of which the first lies above kFreeWord.
inline ProductSum placed_sum(Pair& devices, Operands& operands, std::uint16_t terms,
                             std::uint32_t element_bits, std::uint32_t weight_bits) {
  const std::uint64_t element_words = words_for_bits(element_bits);
  const std::uint64_t weight_words = words_for_bits(weight_bits);
  std::uint64_t word = kFreeWord;
  const std::uint64_t list_word = word;
  word += terms / 4U + 1U;
  Integer list;
  for (std::uint16_t i = 0; i < terms; ++i) {
    devices.put(word, operands.bits(element_bits), element_words);
    devices.put(word + element_words, operands.bits(weight_bits), weight_words);
    list += (Integer(devices.at(word, 0).address) +
             (Integer(devices.at(word + element_words, 0).address) << 64))
            << (128U * i);
    word += element_words + weight_words;
  }
  REQUIRE(word <= kDestinationWord);
  devices.put(list_word, list, terms / 4U + 1U);
  ProductSum sum;
  sum.destination = devices.at(kDestinationWord, element_bits + weight_bits + 16);
  sum.list = devices.at(list_word, 0).address;
  sum.terms = terms;
  sum.element_bits = element_bits;
  sum.weight_bits = weight_bits;
  return sum;
}

// Indices in place of the weights of a placed sum of words.
inline void place_indices(Pair& devices, Operands& operands, std::uint64_t terms,
                          std::uint32_t element_bits) {
  const std::uint64_t element_words = words_for_bits(element_bits);
  for (std::uint64_t i = 0; i < terms; ++i) {
    Integer word;
    for (int index = 0; index < 15; ++index) word = (word << 16) + operands.bits(12);
    devices.put(kFreeWord + terms / 4 + 1 + i * (element_words + 1) + element_words, word, 1);
  }
}

// Sums of generated elements.
inline void check_generated_sums(Pair& devices) {
  Operands operands(29);
  place_modulus(devices, operands.exactly(20'000), 5'000);
  constexpr std::uint64_t kRecordWord = kFreeWord - 2;
  devices.put(kRecordWord, operands.bits(160), 1);
  SECTION("selected ones") {
    devices.put(kFreeWord, operands.bits(8 * 300), 5);
    for (const std::uint32_t bits : {1U, 1'000U, 1'600U, 147'456U, 600'000U}) {
      for (const unsigned count : {1U, 64U, 65U, 300U}) {
        if (bits * count > 40'000'000) continue;
        CHECK(devices.run(select({.destination = devices.at(kDestinationWord, 0).address,
                                  .stream = devices.at(kRecordWord, 0).address,
                                  .first = 77,
                                  .elements = static_cast<std::uint16_t>(count),
                                  .element_bits = bits,
                                  .masks = devices.at(kFreeWord, 0).address,
                                  .sums = static_cast<std::uint8_t>(1 + count % 8),
                                  .sum_words = static_cast<std::uint16_t>(
                                      words_for_bits(bits + 16))})) == Status::ok);
      }
    }
  }
  SECTION("leading bits of products") {
    for (const std::uint32_t bits : {1U, 1'000U, 147'456U}) {
      for (const std::uint16_t count : {std::uint16_t{1}, std::uint16_t{4}, std::uint16_t{30}}) {
        const std::uint64_t words = words_for_bits(bits) + count % 2U;
        devices.put(kFreeWord, operands.bits(words * kWordBits), words);
        const auto number_bits = static_cast<std::uint32_t>(words * kWordBits);
        CHECK(devices.run(multiply_windows({.destination = devices.at(kDestinationWord, 0).address,
                                            .stream = devices.at(kRecordWord, 0).address,
                                            .first = 0xffff'fff0,
                                            .elements = count,
                                            .element_bits = bits,
                                            .number = devices.at(kFreeWord, number_bits)})) ==
              Status::ok);
      }
    }
  }
  SECTION("masks") {
    for (const std::uint32_t bits : {1U, 1'000U, 147'456U}) {
      for (const std::uint16_t count : {std::uint16_t{1}, std::uint16_t{64}, std::uint16_t{65}}) {
        const std::uint64_t words = words_for_bits(bits) + count % 2U;
        devices.put(kFreeWord, operands.bits(words * kWordBits), words);
        const auto number_bits = static_cast<std::uint32_t>(words * kWordBits);
        CHECK(devices.run(multiply_windows({.destination = devices.at(kDestinationWord, 0).address,
                                            .masks = true,
                                            .width = static_cast<std::uint8_t>(1 + bits % 8),
                                            .stream = devices.at(kRecordWord, 0).address,
                                            .skip = static_cast<std::uint8_t>(count),
                                            .elements = count,
                                            .element_bits = bits,
                                            .number = devices.at(kFreeWord, number_bits)})) ==
              Status::ok);
      }
    }
  }
  // The sum with elements of the stream in place of those that are placed.
  const auto generated = [&](ProductSum sum) {
    const std::uint64_t words = sum.terms / 4U + 1U;
    const std::uint64_t element_words = words_for_bits(sum.element_bits);
    Integer list;
    for (std::uint32_t i = 0; i < sum.terms; ++i) {
      const std::uint64_t weight = kFreeWord + words + i * (element_words + 1) + element_words;
      list += (Integer(element_address(3 * i)) + (Integer(devices.at(weight, 0).address) << 64))
              << (128U * i);
    }
    devices.put(kFreeWord, list, words);
    sum.generated = true;
    sum.stream = devices.at(kRecordWord, 0).address;
    CHECK(devices.run(product_sum(sum).with(flag::check_pad)) == Status::ok);
  };
  SECTION("with sparse weights") {
    ProductSum sum = placed_sum(devices, operands, 20, 20'000, 512);
    place_indices(devices, operands, 20, 20'000);
    sum.weight_bits = 0;
    sum.sparse = true;
    sum.sparse_weight = 15;
    sum.destination.bits += 4096;
    generated(sum);
    sum.reduce = true;
    sum.context = kContext;
    generated(sum);
  }
}

// Sums and products of stored elements.
inline void check_stored_sums(Pair& devices) {
  Operands operands(31);
  constexpr std::uint64_t kStoredWord = 4'000;
  devices.put(kFreeWord, operands.bits(8 * 300), 5);
  for (const std::uint32_t element_words : {1U, 3U, 4U, 40U, 600U}) {
    for (const std::uint16_t count : {std::uint16_t{1}, std::uint16_t{10}, std::uint16_t{300}}) {
      const std::uint64_t all_words = std::uint64_t{element_words} * count;
      if (all_words > 12'000) continue;
      devices.put(kStoredWord, operands.bits(all_words * kWordBits), all_words);
      const std::uint32_t bits = 512 * element_words;
      CAPTURE(element_words, count);
      CHECK(devices.run(select({.destination = devices.at(kDestinationWord, 0).address,
                                .stored = true,
                                .address = devices.at(kStoredWord, 0).address,
                                .elements = count,
                                .element_bits = bits,
                                .masks = devices.at(kFreeWord, 0).address,
                                .sums = static_cast<std::uint8_t>(1 + count % 8),
                                .sum_words = static_cast<std::uint16_t>(element_words + 1)})) ==
            Status::ok);
      Windows windows{.destination = devices.at(kDestinationWord, 0).address,
                      .stored = true,
                      .address = devices.at(kStoredWord, 0).address,
                      .elements = count,
                      .element_bits = bits,
                      .number = devices.at(kFreeWord + 100, bits + 512 * (count % 2U))};
      CHECK(devices.run(multiply_windows(windows)) == Status::ok);
      windows.masks = true;
      windows.width = 5;
      CHECK(devices.run(multiply_windows(windows)) == Status::ok);
    }
  }
  // What lies above the bits of an element, and lists that do not lie apart from the sums.
  const Selection last{.destination = devices.at(kDestinationWord, 0).address,
                       .stored = true,
                       .address = devices.at(kStoredWord, 0).address,
                       .elements = 3,
                       .element_bits = 1'000,
                       .masks = devices.at(kFreeWord, 0).address,
                       .sums = 2,
                       .sum_words = 2};
  devices.put(kFreeWord, 0x030201, 1);
  for (std::uint64_t i = 0; i < 6; ++i)
    devices.put(kStoredWord + i, i == 5 ? power_of_two(1'000 - 512) : power_of_two(7), 1);
  CHECK(devices.run(select(last).with(flag::check_pad)) == Status::pad_not_zero);
  devices.put(kStoredWord + 5, power_of_two(1'000 - 513), 1);
  CHECK(devices.run(select(last).with(flag::check_pad)) == Status::ok);
  Selection overlapping = last;
  overlapping.address = overlapping.destination + 3 * kWordBytes;
  CHECK(devices.run(select(overlapping)) == Status::overlap);
  overlapping.address = overlapping.destination + 4 * kWordBytes;
  CHECK(devices.run(select(overlapping)) == Status::ok);
}

// A device is stopped so many clocks after it was given a product, and computes again.
inline void check_stopped_products(RawDevice& device, Engine engine,
                                   const std::vector<std::uint64_t>& clocks) {
  Operands operands(25);
  const Integer x = operands.bits(5'000);
  const Integer y = operands.bits(7'000);
  const DeviceInteger a = device.at(0, 5'000), b = device.at(100, 7'000),
                      z = device.at(200, 12'000);
  device.put(a.address, x, words_for_bits(5'000));
  device.put(b.address, y, words_for_bits(7'000));
  for (const std::uint64_t step : clocks) {
    device.give(by(engine, multiply(z, a, b)));
    device.give(add(z, a, b));
    device.transport().step(step);
    device.soft_reset(bit(ctrl::enable));
    CHECK(device.take().status == Status::aborted);
    CHECK(device.take().status == Status::aborted);
    CHECK(device.status_of(add(z, a, b)) == Status::ok);
    CHECK(device.get(z.address, words_for_bits(12'000)) == x + y);
  }
  CHECK(device.status_of(by(engine, multiply(z, a, b))) == Status::ok);
  CHECK(device.get(z.address, words_for_bits(12'000)) == x * y);
}

}  // namespace fhe::fpga::test
