// SPDX-License-Identifier: Apache-2.0
// The whole device, simulated, beside its model: the same commands give the same memory, statuses
// and info, whatever the memory port does. What each command means is checked on every way to a
// device in ../driver; here is what is peculiar to the RTL.
#include <algorithm>
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

namespace {

using fhe::test::Operands;

constexpr std::uint64_t kMemoryBytes = std::uint64_t{4} << 20;
constexpr std::uint64_t kMemoryWords = kMemoryBytes / kWordBytes;

DeviceMemory small_memory() {
  return {std::uint64_t{4} << 30, kMemoryBytes};
}

RawDevice simulated(const SimMemoryOptions& options = {}) {
  RawDevice device(make_sim_transport(small_memory(), options));
  device.enable();
  return device;
}

RawDevice modelled() {
  RawDevice device(std::make_unique<ModelTransport>(small_memory()));
  device.enable();
  return device;
}

// The device of kThroughputEquipment.
RawDevice simulated_throughput(DeviceMemory memory = small_memory()) {
  RawDevice device(make_throughput_sim_transport(std::move(memory)));
  device.enable();
  return device;
}

RawDevice modelled_throughput(DeviceMemory memory = small_memory()) {
  RawDevice device(std::make_unique<ModelTransport>(std::move(memory), kThroughputEquipment));
  device.enable();
  return device;
}

// A command takes so many clocks on the device, and as many by the law of its model.
void check_clocks(RawDevice& device, RawDevice& model, const Command& command,
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

// With lines of elements of each length.
Pair pair_of_elements() {
  if (GENERATE(false, true)) return {simulated_throughput(), modelled_throughput()};
  return {};
}

// Sources lie in the first half of memory, the destination in the second.
constexpr std::uint64_t kDestinationWord = kMemoryWords / 2;

DeviceInteger source(Pair& devices, Operands& operands, std::uint32_t bits) {
  const std::uint64_t words = words_for_bits(bits);
  const std::uint64_t word = operands.between(0, kDestinationWord - 1 - words);
  const Integer value = operands.coin() ? operands.bits(bits) : operands.runs(bits);
  devices.put(word, value, words);
  return devices.at(word, bits);
}

std::uint32_t short_bits(Operands& operands) {
  return static_cast<std::uint32_t>(operands.between(0, 5) == 0 ? operands.between(0, 4) * 512
                                                                : operands.between(0, 9000));
}

Command short_command(Pair& devices, Operands& operands) {
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

Command sparse_command(Pair& devices, Operands& operands) {
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
Command spoilt(Command command, Operands& operands) {
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

PlacedModulus place_modulus(Pair& devices, const Integer& modulus, std::uint32_t gamma,
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
ProductSum placed_sum(Pair& devices, Operands& operands, std::uint16_t terms,
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

}  // namespace

TEST_CASE("random short commands give the same on the device and on its model", "[device]") {
  Pair devices;
  Operands operands(20);
  for (int i = 0; i < 300; ++i)
    devices.run(operands.between(0, 3) == 0 ? sparse_command(devices, operands)
                                            : short_command(devices, operands));
  CHECK(devices.memories_agree());
}

TEST_CASE("commands on numbers without words give the same on the device and on its model",
          "[device]") {
  Pair devices;
  const DeviceInteger none = devices.at(0, 0);
  const DeviceInteger one = devices.at(1, 512);
  devices.put(1, 5, 1);
  for (const DeviceInteger& z : {none, devices.at(kDestinationWord, 600)}) {
    for (const Command& command :
         {add(z, none, none), subtract(z, none, none), subtract_if_not_less(z, none, none),
          copy(z, none), clear(z), affine(z, none, one.address), multiply(z, none, none),
          multiply_add(z, none, none), square(z, none)})
      devices.run(command);
  }
  const DeviceInteger wide = devices.at(kDestinationWord, 4700);
  devices.run(subtract_if_not_less(wide, none, one));
  devices.run(multiply(wide, none, one));
  devices.run(sparse_multiply(wide, none, one.address, 1));
  devices.run(sparse_multiply(wide, none, one.address, 0));
}

TEST_CASE("wrong commands fail alike on the device and on its model", "[device]") {
  Pair devices;
  Operands operands(21);
  for (int i = 0; i < 300; ++i)
    devices.run(spoilt(
        operands.coin() ? sparse_command(devices, operands) : short_command(devices, operands),
        operands));
}

TEST_CASE("ones above an operand are found alike on the device and on its model", "[device]") {
  Pair devices;
  Operands operands(27);
  int found = 0;
  for (int i = 0; i < 200; ++i) {
    Command command = operands.between(0, 3) == 0 ? sparse_command(devices, operands)
                                                  : short_command(devices, operands);
    DeviceInteger& cut = operands.coin() ? command.source0 : command.source1;
    cut.bits -= std::min<std::uint32_t>(cut.bits, operands.coin() ? 1 : 0);
    const Command checked = command.with(flag::check_pad).with(flag::crc);
    if (devices.run(checked) != Status::pad_not_zero) continue;
    ++found;
    devices.put(kDestinationWord, 0, 50);  // or what was there is undefined
  }
  CHECK(found > 10);
}

TEST_CASE("records of contexts are accepted alike by the device and by its model", "[device]") {
  Pair devices;
  Operands operands(28);
  const auto near = [&](std::uint64_t value, std::uint64_t step) {
    return static_cast<std::uint32_t>(value + step * operands.between(0, 2) - step);
  };
  const auto place = [&] {
    const std::uint64_t off = operands.between(0, 30) == 0 ? 8 : 0;
    return devices.at(near(kMemoryWords - operands.between(1, 30), 1), 0).address + off;
  };
  int accepted = 0;
  for (int i = 0; i < 500; ++i) {
    const auto phi = static_cast<std::uint32_t>(operands.between(515, 4000));
    BarrettShape shape = barrett_shape(phi, static_cast<std::uint32_t>(operands.between(0, phi)));
    const bool sound = operands.coin();
    const std::uint64_t scratch_words = shape.scratch_words();
    if (!sound) {
      shape.phi = near(shape.phi, 512);
      shape.gamma = near(std::max(shape.gamma, 512U), 512);
      shape.shift_low = near(shape.shift_low, operands.coin() ? 512 : 1);
      shape.shift_high = near(shape.shift_high, operands.coin() ? 512 : 64);
    }
    devices.put_record(0, {.shape = shape,
                           .modulus = place(),
                           .reciprocal = place(),
                           .scratch = place() - 2 * scratch_words * kWordBytes,
                           .scratch_words = near(scratch_words, sound ? 0 : 1)});
    accepted += devices.run({.opcode = Opcode::set_ctx,
                             .context = static_cast<std::uint16_t>(operands.between(0, 4)),
                             .parameter = devices.at(0, 0).address}) == Status::ok
                    ? 1
                    : 0;
  }
  CHECK(accepted > 50);
}

TEST_CASE("a memory that stalls and is slow changes nothing but the clocks", "[device]") {
  const unsigned latency = GENERATE(1U, 7U, 150U);
  Pair devices({.latency_clocks = latency, .stall_percent = 40, .seed = latency});
  Operands operands(22);
  for (int i = 0; i < 60; ++i)
    devices.run(operands.coin() ? sparse_command(devices, operands)
                                : short_command(devices, operands));
  const DeviceInteger x = source(devices, operands, 200'000);
  const DeviceInteger y = source(devices, operands, 3'000);
  devices.run(multiply_add(devices.at(kDestinationWord, 204'000), x, y));
}

TEST_CASE("products of blocks give the same on the device and on its model", "[device]") {
  Pair devices;
  Operands operands(26);
  const Engine engine = GENERATE(Engine::mul768, Engine::stream768);
  // Sums that run over in the first block, in the last one and in none.
  const DeviceInteger x = devices.at(0, 512 * 3100);
  const DeviceInteger y = devices.at(3200, 512 * 70);
  const DeviceInteger z = devices.at(kDestinationWord, 512 * 3200);
  const Integer all_ones = power_of_two(z.bits) - 1;
  devices.put(3200, operands.exactly(y.bits), 70);
  for (const Integer& long_factor :
       {Integer(operands.bits(1000)), Integer(operands.bits(1000) << (512 * 3050)),
        operands.exactly(x.bits)}) {
    devices.put(0, long_factor, 3100);
    devices.put(kDestinationWord, all_ones, 3200);
    devices.run(by(engine, multiply_add(z, x, y)));
  }
  devices.run(by(engine, multiply_add(z, y, x)));
}

TEST_CASE("streams of blocks give the same on the device and on its model", "[device]") {
  Pair devices;
  Operands operands(33);
  const auto place = [&](std::uint64_t word, std::uint32_t words) {
    const DeviceInteger x = devices.at(word, 512 * words);
    devices.put(word, operands.coin() ? operands.exactly(x.bits) : operands.runs(x.bits), words);
    return x;
  };
  const auto destination = [&](std::uint32_t words) {
    return devices.at(kDestinationWord, 512 * words);
  };
  struct Shape {
    std::uint32_t x_words, y_words, z_words;
  };
  for (const auto& [x_words, y_words, z_words] : {Shape{1, 1, 2},
                                                  {1536, 1536, 3072},
                                                  {2000, 3000, 5000},
                                                  {700, 9000, 9700},
                                                  {2, 4000, 6000},
                                                  {1600, 1600, 20'000}}) {
    const DeviceInteger x = place(0, x_words);
    const DeviceInteger y = place(10'000, y_words);
    devices.run(by(Engine::stream768, multiply(destination(z_words), x, y)));
    devices.run(by(Engine::stream768, multiply_add(destination(z_words), y, x)));
  }
  devices.run(by(Engine::stream768, square(destination(3200), place(0, 1600))));
  // The longest product that is one block, and one that is longer.
  devices.run(multiply(destination(3072), place(0, 1072), place(10'000, 2000)));
  devices.run(multiply(destination(3073), place(0, 1072), place(10'000, 2001)));
  CHECK(devices.memories_agree());
}

TEST_CASE("products of the throughput multiplier give the same on the device and on its model",
          "[device]") {
  Pair devices(simulated_throughput(), modelled_throughput());
  Operands operands(34);
  struct Shape {
    std::uint32_t x_words, y_words, z_words;
  };
  for (const auto& [x_words, y_words, z_words] : {Shape{1, 1, 2},
                                                  {0, 3, 3},
                                                  {96, 97, 193},
                                                  {50, 960, 1100},
                                                  {300, 1000, 1300},
                                                  {1536, 1536, 3072},
                                                  {1537, 3000, 4537}}) {
    const DeviceInteger x = devices.at(0, 512 * x_words);
    const DeviceInteger y = devices.at(10'000, 512 * y_words);
    const DeviceInteger z = devices.at(kDestinationWord, 512 * z_words);
    devices.put(0, operands.bits(x.bits), x_words);
    devices.put(10'000, operands.runs(y.bits), y_words);
    const Command product = multiply(z, x, y).with(flag::check_pad);
    CHECK(devices.run(by(Engine::throughput, product)) == Status::ok);
    CHECK(devices.run(multiply(z, y, x)) == Status::ok);
    devices.run(by(Engine::throughput, square(devices.at(kDestinationWord, 2 * x.bits), x)));
  }
  const DeviceInteger x = devices.at(0, 512 * 300), y = devices.at(10'000, 512 * 100);
  const DeviceInteger z = devices.at(kDestinationWord, 512 * 400);
  devices.put(kDestinationWord, power_of_two(z.bits) - 1, 400);
  CHECK(devices.run(multiply_add(z, x, y)) == Status::ok);
  for (const Engine missing : {Engine::mul768, Engine::stream768, Engine::ssmul})
    CHECK(devices.run(by(missing, multiply(z, x, y))) == Status::bad_opcode);
  CHECK(devices.memories_agree());
}

TEST_CASE("products in four steps give the same on the device and on its model", "[device]") {
  const auto memory = [] { return DeviceMemory(std::uint64_t{4} << 30, std::uint64_t{16} << 20); };
  Pair devices(simulated_throughput(memory()), modelled_throughput(memory()));
  Operands operands(40);
  constexpr std::uint64_t kWords = (std::uint64_t{16} << 20) / kWordBytes;
  const std::uint64_t scratch = devices.at(100'000, 0).address;
  const DeviceInteger x = devices.at(0, 512 * 5'000), y = devices.at(10'000, 512 * 6'000 - 3);
  const DeviceInteger z = devices.at(200'000, 512 * 11'010);
  devices.put(0, operands.bits(x.bits), 5'000);
  devices.put(10'000, operands.runs(y.bits), 6'000);
  const Command product = multiply(z, x, y);
  const Command checked = product.with(flag::check_pad);
  CHECK(devices.run(in_four_steps(checked, 0, scratch)) == Status::ok);
  CHECK(devices.run(in_four_steps(square(z, x), 0, scratch)) == Status::ok);
  CHECK(devices.run(in_four_steps(multiply(z, x, x), 0, scratch)) == Status::ok);
  CHECK(devices.run(in_four_steps(multiply_add(z, x, y), 0, scratch)) == Status::ok);  // by blocks
  devices.put(10'000, operands.exactly(512 * 6'000), 6'000);
  CHECK(devices.run(in_four_steps(checked, 0, scratch)) == Status::pad_not_zero);
  // What is wrong about the lengths, and about the scratch memory.
  const DeviceInteger longer = devices.at(0, 512 * 5'265), longest = devices.at(0, 512 * 5'633);
  CHECK(devices.run(in_four_steps(multiply(z, longer, y), 0, scratch)) == Status::length);
  CHECK(devices.run(in_four_steps(square({z.address, 512 * 11'266}, longest), 0, scratch)) ==
        Status::length);
  CHECK(devices.run(in_four_steps(product, 4, scratch)) == Status::length);
  CHECK(devices.run(in_four_steps(product, 0, scratch + 32)) == Status::bad_align);
  CHECK(devices.run(in_four_steps(product, 3, scratch)) == Status::range);
  const std::uint64_t last = devices.at(kWords - 65'536, 0).address;
  CHECK(devices.run(in_four_steps(product, 0, last + kWordBytes)) == Status::range);
  CHECK(devices.run(in_four_steps(product, 0, last)) == Status::overlap);
  RawDevice other = simulated();
  CHECK(other.status_of(in_four_steps(multiply(other.at(9, 9), other.at(0, 3), other.at(1, 3)), 0,
                                      other.at(100, 0).address)) == Status::bad_opcode);
}

TEST_CASE("reductions by the throughput multiplier give the same on the device and on its model",
          "[device]") {
  Pair devices(simulated_throughput(), modelled_throughput());
  Operands operands(35);
  constexpr std::uint64_t kArgumentWord = 24'000;
  // The last two have the greatest shifts, so nothing is left out for them; all that is left out of
  // the product for q of the others: none of one block, one diagonal of three, two of four.
  const auto [phi, gamma] = GENERATE(table<std::uint32_t, std::uint32_t>({{2, 2},
                                                                          {60'000, 60'000},
                                                                          {1'600'000, 800'000},
                                                                          {1'600'000, 1'600'000},
                                                                          {1'600'002, 1'599'485},
                                                                          {514, 509}}));
  const auto placed = place_modulus(devices, operands.exactly(phi), gamma, kArgumentWord);
  CHECK(placed.shape.may_lose() ==
        (placed.shape.beta() != -2 || placed.shape.alpha() != gamma + 1));
  const DeviceInteger result = devices.at(kDestinationWord, phi);
  const auto check = [&](const Integer& argument, std::uint32_t bits) {
    devices.put(kArgumentWord, argument, words_for_bits(bits));
    CHECK(devices.run(reduce(kContext, result, devices.at(kArgumentWord, bits))) == Status::ok);
  };
  check(operands.bits(phi + gamma), phi + gamma);
  check(power_of_two(phi + gamma) - 1, phi + gamma);
  check(placed.modulus, phi);
  check(placed.modulus * (power_of_two(gamma - 1) - 1), phi + gamma);
  check(1, 1);
}

TEST_CASE("a remainder may have a word more than the modulus", "[device]") {
  Pair devices(simulated_throughput(), modelled_throughput());
  const auto placed = place_modulus(devices, power_of_two(1024) - 5, 1'000);
  constexpr std::uint32_t kBits = 2'024;
  for (const std::uint32_t result_bits : {1'024U, 1'025U, 2'000U}) {
    for (const int rest : {0, 4, 5, 77}) {  // y is A_0 more: not below 2^1024 for the last two
      devices.put(kFreeWord, (power_of_two(1'000) - 1) * placed.modulus + rest, 4);
      CHECK(devices.run(reduce(kContext, devices.at(kDestinationWord, result_bits),
                               devices.at(kFreeWord, kBits))) == Status::ok);
    }
  }
}

namespace {

constexpr std::uint64_t kCyclicArgumentWord = 80'000;

// Reductions with a cyclic product of the fewest points, modulo 2^M - 1.
class CyclicReductions {
 public:
  static constexpr std::uint32_t kBits = parameter::four_step_words * parameter::word_bits;  // M

  CyclicReductions(const Integer& modulus, std::uint32_t gamma)
      : placed_(place_modulus(devices_, modulus, gamma, kCyclicArgumentWord)) {}

  [[nodiscard]] std::uint32_t argument_bits() const {
    return placed_.shape.phi + placed_.shape.gamma;
  }
  // q is then smaller by one more often.
  void shorten_reciprocal() {
    devices_.put(1 + placed_.shape.modulus_words(),
                 barrett_reciprocal(placed_.shape, placed_.modulus) - 1,
                 placed_.shape.reciprocal_words());
  }

  Status run(const Integer& x, std::uint32_t bits, std::uint32_t result_bits) {
    devices_.put(kCyclicArgumentWord, x, words_for_bits(bits));
    return run(reduce(kContext, devices_.at(kResultWord, result_bits),
                      devices_.at(kCyclicArgumentWord, bits)));
  }
  Status run(const Integer& x) { return run(x, argument_bits(), placed_.shape.phi); }
  Status run(const Command& command) {
    const Command in_steps = in_four_steps(command, 0, scratch().address);
    return devices_.run(
        with_transforms(in_steps, transforms, devices_.at(kTransformsWord, 0).address));
  }
  // With both products in four steps, where not `none`.
  Transforms transforms = Transforms::none;
  [[nodiscard]] DeviceInteger scratch() const { return devices_.at(kScratchWord, 0); }
  Pair& devices() { return devices_; }

 private:
  static constexpr std::uint64_t kResultWord = 110'000;
  static constexpr std::uint64_t kScratchWord = 150'000;
  static constexpr std::uint64_t kTransformsWord = 300'000;

  static DeviceMemory memory() { return {std::uint64_t{4} << 30, std::uint64_t{32} << 20}; }

  Pair devices_{simulated_throughput(memory()), modelled_throughput(memory())};
  PlacedModulus placed_;
};

// (2^M - 1) / 3: so three times it are 0 modulo 2^M - 1, which is all ones.
Integer third_of_ones() {
  return (power_of_two(CyclicReductions::kBits) - 1) / 3;
}

}  // namespace

TEST_CASE("reductions with a cyclic product give the same on the device and on its model",
          "[device]") {
  CyclicReductions reductions(third_of_ones(), 100'000);
  const Integer zero = (power_of_two(99'999) - 77) * 3 * third_of_ones();
  CHECK(reductions.run(zero) == Status::ok);
  CHECK(reductions.run(zero - 1) == Status::ok);
  Pair& devices = reductions.devices();
  const DeviceInteger x = devices.at(kCyclicArgumentWord, 1000);
  const DeviceInteger z = devices.at(0, CyclicReductions::kBits);
  const Command command = reduce(kContext, z, x);
  const std::uint64_t scratch = reductions.scratch().address;
  CHECK(devices.run(in_four_steps(command, 3, scratch)) == Status::length);
  CHECK(devices.run(in_four_steps(command, 0, scratch + 32)) == Status::bad_align);
  CHECK(devices.run(in_four_steps(command, 2, z.address + (28U << 20))) == Status::range);
  CHECK(devices.run(in_four_steps(command, 0, z.address + kWordBytes)) == Status::overlap);
}

TEST_CASE("reductions with transforms that are kept give the same on the device and on its model",
          "[device]") {
  CyclicReductions reductions(third_of_ones(), 100'000);
  Operands operands(43);
  reductions.transforms = Transforms::left;
  CHECK(reductions.run(operands.bits(reductions.argument_bits())) == Status::ok);
  reductions.transforms = Transforms::taken;
  CHECK(reductions.run(operands.bits(reductions.argument_bits())) == Status::ok);
  Pair& devices = reductions.devices();
  const Command command = in_four_steps(reduce(kContext, devices.at(0, CyclicReductions::kBits),
                                               devices.at(kCyclicArgumentWord, 1000)),
                                        0, reductions.scratch().address);
  const auto with = [&](Transforms transforms, std::uint64_t word) {
    return devices.run(with_transforms(command, transforms, devices.at(word, 0).address));
  };
  CHECK(with(Transforms::taken, 9'000) == Status::overlap);
  CHECK(with(Transforms::left, 450'000) == Status::range);  // 98,304 words
  Command odd = with_transforms(command, Transforms::taken, command.parameter);
  odd.aux = static_cast<std::uint16_t>(odd.aux & ~field::modred::keeps.put(1));
  CHECK(devices.run(odd) == Status::length);
}

TEST_CASE("reductions with a cyclic product are right where all digits carry", "[device][long]") {
  CyclicReductions reductions(third_of_ones(), 100'000);
  const std::uint32_t bits = reductions.argument_bits();
  Operands operands(41);
  for (const bool shortened : {false, true}) {
    if (shortened) reductions.shorten_reciprocal();
    for (const Integer& factor :
         {Integer(0), Integer(1), Integer(2), Integer(3), Integer(3 * power_of_two(90'000)),
          Integer(3 * (power_of_two(99'998) - 1)), operands.bits(99'998)}) {
      for (const int more : {-1, 0, 1}) {
        const Integer x = factor * third_of_ones() + more;
        if (x >= 0) CHECK(reductions.run(x) == Status::ok);
      }
    }
  }
  CHECK(reductions.run(power_of_two(bits) - 1) == Status::ok);
  CHECK(reductions.run(third_of_ones() - 1, CyclicReductions::kBits - 1, bits) == Status::ok);
  CHECK(reductions.run(operands.bits(600), 600, CyclicReductions::kBits) == Status::ok);
}

TEST_CASE("reductions with a cyclic product are right for any modulus", "[device][long]") {
  Operands operands(42);
  // In this order: q of few words, and as many as there may be; x longer and shorter than 2^M.
  const auto [phi, gamma] = GENERATE(table<std::uint32_t, std::uint32_t>(
      {{CyclicReductions::kBits - 1, 512},
       {CyclicReductions::kBits - 1, CyclicReductions::kBits - 2},
       {1000, CyclicReductions::kBits - 2},
       {CyclicReductions::kBits / 2, CyclicReductions::kBits / 2 - 3},
       {5'000'000, 5'000'096}}));
  const Integer modulus = operands.coin() ? operands.exactly(phi) : power_of_two(phi) - 1;
  CyclicReductions reductions(modulus, gamma);
  const std::uint32_t bits = reductions.argument_bits();
  for (const Transforms transforms : {Transforms::none, Transforms::left, Transforms::taken}) {
    reductions.transforms = transforms;
    CHECK(reductions.run(operands.bits(bits)) == Status::ok);
    CHECK(reductions.run(power_of_two(bits) - 1) == Status::ok);
  }
  reductions.transforms = Transforms::none;
  reductions.shorten_reciprocal();
  CHECK(reductions.run(modulus * (power_of_two(gamma - 1) - 5)) == Status::ok);
  CHECK(reductions.run(modulus * (power_of_two(gamma - 1) - 5) - 1) == Status::ok);
  // In place, and with ones above its end.
  Pair& devices = reductions.devices();
  const DeviceInteger x = devices.at(kCyclicArgumentWord, bits);
  devices.put(kCyclicArgumentWord, operands.bits(bits), words_for_bits(bits));
  CHECK(reductions.run(reduce(kContext, {x.address, phi}, x)) == Status::ok);
  for (const std::uint32_t shorter : {bits - 1, std::min(phi, 600U)}) {
    devices.put(kCyclicArgumentWord, power_of_two(shorter), words_for_bits(shorter));
    const Command command =
        reduce(kContext, devices.at(kCyclicArgumentWord + 30'000, phi), {x.address, shorter});
    CHECK(reductions.run(command.with(flag::check_pad)) == Status::pad_not_zero);
  }
}

TEST_CASE("sums with the throughput multiplier give the same on the device and on its model",
          "[device]") {
  Pair devices(simulated_throughput(), modelled_throughput());
  Operands operands(37);
  place_modulus(devices, operands.exactly(20'000), 1'500);
  // In rows, by single products, and of more than a row.
  for (const auto& [element_bits, weight_bits] :
       {std::pair{86'016U, 936U}, {86'017U, 936U}, {147'456U, 936U}, {20'000U, 5'000U}})
    CHECK(devices.run(product_sum(placed_sum(devices, operands, 5, element_bits, weight_bits))) ==
          Status::ok);
  ProductSum sum = placed_sum(devices, operands, 3, 20'000, 900);
  sum.reduce = true;
  sum.context = kContext;
  sum.engine = Engine::throughput;
  CHECK(devices.run(product_sum(sum)) == Status::ok);
}

TEST_CASE("weighted sums of generated elements give the same on the device and on its model",
          "[device]") {
  Pair devices(simulated_throughput(), modelled_throughput());
  Operands operands(39);
  devices.put(0, operands.bits(160), 1);
  WeightedSum sum{.stream = devices.at(0, 0).address, .first = 0xffff'fffd, .elements = 6};
  // In one slice, in a pair of them and in several, and with the longest weights.
  for (const auto& [element_bits, weight_bits] : {std::pair{1U, 1U},
                                                  {94'208U, 936U},
                                                  {94'209U, 936U},
                                                  {188'416U, 512U},
                                                  {188'417U, parameter::weighted_bits},
                                                  {500'000U, 2'556U},
                                                  {5'000U, 0U}}) {
    sum.element_bits = element_bits;
    sum.weight_bits = weight_bits;
    const std::uint64_t words = words_for_bits(weight_bits);
    for (std::uint64_t i = 0; i < sum.elements; ++i)
      devices.put(1 + i * words, operands.bits(weight_bits), words);
    sum.weights = devices.at(1, 0).address;
    sum.destination = devices.at(kDestinationWord, element_bits + weight_bits + 16);
    CHECK(devices.run(weighted_sum(sum)) == Status::ok);
    CHECK(devices.run(weighted_sum(sum).with(flag::check_pad | flag::accumulate)) == Status::ok);
  }
  // A bit above a weight.
  sum.weight_bits = 900;
  sum.destination.bits = 6'000;
  devices.put(4, power_of_two(400), 1);
  devices.put(5, 0, 1);
  CHECK(devices.run(weighted_sum(sum).with(flag::check_pad)) == Status::pad_not_zero);
}

TEST_CASE("products of rows give the same on the device and on its model", "[device]") {
  Pair devices;
  Operands operands(29);
  const auto bits = [&](std::size_t words) {
    return static_cast<std::uint32_t>(operands.between(0, words * kWordBits));
  };
  for (int i = 0; i < 60; ++i) {
    const DeviceInteger x = source(devices, operands, bits(operands.coin() ? 8 : 60));
    const DeviceInteger y = source(devices, operands, bits(operands.coin() ? 8 : 60));
    const std::uint32_t room = operands.coin() ? bits(2) : bits(300);
    const DeviceInteger z = devices.at(kDestinationWord, x.bits + y.bits + room);
    Command command = operands.coin() ? multiply(z, x, y) : multiply_add(z, x, y);
    if (operands.coin()) command = command.with(flag::check_pad);
    devices.run(by(Engine::fftmul, command));
  }
  CHECK(devices.memories_agree());
}

TEST_CASE("products and reductions give the same on the device and on its model", "[device]") {
  Pair devices;
  Operands operands(23);
  const std::uint32_t phi = GENERATE(2U, 512U, 2'561U, 60'000U);
  const auto placed = place_modulus(devices, operands.exactly(phi), phi);
  const auto spot = [&](const Integer& value, std::uint32_t bits) {
    devices.put(kFreeWord, value, words_for_bits(bits));
    return devices.at(kFreeWord, bits);
  };
  const DeviceInteger result = devices.at(kDestinationWord, phi);
  const Integer largest = power_of_two(2 * phi) - 1;
  devices.run(reduce(kContext, result, spot(operands.bits(2 * phi), 2 * phi)));
  devices.run(reduce(kContext, result, spot(largest, 2 * phi)));
  devices.run(reduce(kContext, result, spot(placed.modulus, phi)));
}

// Indices in place of the weights of a placed sum of words.
void place_indices(Pair& devices, Operands& operands, std::uint64_t terms,
                   std::uint32_t element_bits) {
  const std::uint64_t element_words = words_for_bits(element_bits);
  for (std::uint64_t i = 0; i < terms; ++i) {
    Integer word;
    for (int index = 0; index < 15; ++index) word = (word << 16) + operands.bits(12);
    devices.put(kFreeWord + terms / 4 + 1 + i * (element_words + 1) + element_words, word, 1);
  }
}

TEST_CASE("encryption sums give the same on the device and on its model", "[device]") {
  Pair devices;
  Operands operands(24);
  place_modulus(devices, operands.exactly(20'000), 1'500);
  SECTION("rows of the low-latency multiplier") {
    const auto terms = static_cast<std::uint16_t>(GENERATE(1U, 2U, 5U, 60U));
    devices.run(product_sum(placed_sum(devices, operands, terms, 20'000, 900)));
  }
  SECTION("rows without a spare bit, one block") {
    devices.run(product_sum(placed_sum(devices, operands, 30, 3'584, 3'568)));
  }
  SECTION("rows in a long destination") {
    ProductSum sum = placed_sum(devices, operands, 7, 9'000, 2'000);
    sum.destination.bits = 150'000;
    devices.run(product_sum(sum));
  }
  SECTION("one product a term") {
    devices.run(product_sum(placed_sum(devices, operands, 3, 20'000, 3'569)));
  }
  SECTION("one product of blocks a term") {
    ProductSum sum = placed_sum(devices, operands, 3, 20'000, 900);
    sum.engine = Engine::mul768;
    devices.run(product_sum(sum));
  }
  SECTION("ones above a number") {
    for (const std::uint64_t bit : {19'999U, 20'000U}) {
      ProductSum sum = placed_sum(devices, operands, 4, 20'000, 900);
      sum.weight_bits = 512;
      devices.put(kFreeWord + 2, power_of_two(bit), words_for_bits(20'000));
      CHECK(devices.run(product_sum(sum).with(flag::check_pad)) ==
            (bit < 20'000 ? Status::ok : Status::pad_not_zero));
    }
  }
  SECTION("reduced, and an addend") {
    ProductSum sum = placed_sum(devices, operands, 16, 20'000, 900);
    sum.reduce = true;
    sum.context = kContext;
    sum.affine = true;
    sum.addend = devices.at(kFreeWord - 1, 0).address;
    devices.put(kFreeWord - 1, power_of_two(512) - 99, 1);
    devices.run(product_sum(sum));
  }
  SECTION("sparse weights") {
    ProductSum sum = placed_sum(devices, operands, 9, 20'000, 512);
    sum.weight_bits = 0;
    sum.sparse = true;
    sum.sparse_weight = 15;
    sum.destination.bits += 4096;
    // Random bits are no indices: most are too large.
    CHECK(devices.run(product_sum(sum)) == Status::length);
    sum.sparse_weight = 0;
    CHECK(devices.run(product_sum(sum)) == Status::ok);
    place_indices(devices, operands, 9, 20'000);
    for (const std::uint8_t ones : {std::uint8_t{1}, std::uint8_t{7}, std::uint8_t{15}}) {
      sum.sparse_weight = ones;
      CHECK(devices.run(product_sum(sum)) == Status::ok);
    }
    sum.reduce = true;
    sum.context = kContext;
    CHECK(devices.run(product_sum(sum)) == Status::ok);
  }
  SECTION("sparse weights, short elements that wait for each other") {
    ProductSum sum = placed_sum(devices, operands, 21, 100, 512);
    place_indices(devices, operands, 21, 100);
    sum.weight_bits = 0;
    sum.sparse = true;
    sum.sparse_weight = 15;
    sum.destination.bits += 4096;
    CHECK(devices.run(product_sum(sum)) == Status::ok);
  }
  SECTION("the greatest lengths in a short destination") {
    ProductSum sum = placed_sum(devices, operands, 0, 20'000, 900);
    sum.element_bits = sum.weight_bits = 0xffff'ffff;
    CHECK(devices.run(product_sum(sum)) == Status::length);
  }
  SECTION("no terms") {
    ProductSum sum = placed_sum(devices, operands, 0, 20'000, 900);
    CHECK(devices.run(product_sum(sum)) == Status::ok);
    sum.reduce = true;
    sum.context = kContext;
    CHECK(devices.run(product_sum(sum)) == Status::ok);
  }
}

TEST_CASE("sums of generated elements give the same on the device and on its model", "[device]") {
  Pair devices = pair_of_elements();
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

TEST_CASE("sums of stored elements give the same on the device and on its model", "[device]") {
  Pair devices = pair_of_elements();
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

namespace {

// Commands of all lengths, of which some depend on others.
std::vector<Command> some_program(Pair& devices, Operands& operands, std::size_t count) {
  const auto operand = [&](std::uint32_t bits) {
    const std::uint64_t word = operands.between(kFreeWord, kDestinationWord - 100);
    devices.put(word, operands.bits(bits), words_for_bits(bits));
    return devices.at(word, bits);
  };
  std::vector<Command> commands;
  for (std::size_t i = 0; i < count; ++i) {
    const DeviceInteger x = operand(short_bits(operands)), y = operand(short_bits(operands));
    const DeviceInteger sum = {x.address, std::max(x.bits, y.bits)};
    const DeviceInteger z = devices.at(kDestinationWord + operands.between(0, 9), sum.bits);
    const std::array choices = {
        Command{.opcode = Opcode::nop},
        add(z, x, y),
        subtract(z, x, y),
        add(sum, x, {z.address, y.bits}),
        copy(z, x),
        clear(z),
        reduce(kContext, devices.at(kDestinationWord + 1'000, 20'000), operand(25'000)),
        Command{
            .opcode = Opcode::set_ctx, .context = kContext, .parameter = devices.at(0, 0).address}};
    commands.push_back(choices.at(operands.between(0, choices.size() - 1)));
  }
  return commands;
}

}  // namespace

TEST_CASE("programs give the same on the device and on its model", "[device]") {
  const bool busy_memory = GENERATE(false, true);
  Pair devices = busy_memory ? Pair({.latency_clocks = 60, .stall_percent = 40}) : Pair();
  Operands operands(32);
  place_modulus(devices, operands.exactly(20'000), 5'000);
  for (const std::size_t count : {1U, 2U, 3U, 20U, 60U}) {
    const std::vector<Command> commands = some_program(devices, operands, count);
    // Random operands lie below.
    const Command program = devices.place_program(kDestinationWord + 20'000, commands);
    CAPTURE(count);
    CHECK(devices.run(program) == Status::ok);
    CHECK(devices.memories_agree());
  }
  const std::vector<Command> nothing(300);
  CHECK(devices.run(devices.place_program(kDestinationWord + 20'000, nothing)) == Status::ok);
}

TEST_CASE("a device is stopped in every phase of a program, and computes again", "[device]") {
  RawDevice device = simulated();
  Operands operands(33);
  const Integer x = operands.bits(3'000);
  const DeviceInteger a = device.at(0, 3'000), z = device.at(200, 6'010);
  device.put(a.address, x, words_for_bits(3'000));
  std::vector<DescriptorWords> list;
  for (const Command& command :
       {multiply(z, a, a), add(z, z, a), Command{.opcode = Opcode::nop}, add(z, z, z)})
    list.push_back(encode(command));
  device.transport().put(device.at(500, 0).address, std::as_bytes(std::span(list)));
  const Command program = run(device.at(500, 0).address, 4);
  const std::uint32_t clocks = device.run(program).cycles;
  std::array<int, 5> completed{};
  for (std::uint64_t step = 0; step < clocks + 20;
       step += step < 100 || step + 400 > clocks ? 5 : 50) {
    device.give(program);
    device.give(copy(z, a));
    device.transport().step(step);
    device.soft_reset(bit(ctrl::enable));
    const RawCompletion first = device.take();
    const std::uint32_t commands = first.info >> info::commands;
    CAPTURE(step, commands);
    REQUIRE(commands <= 4);
    ++completed.at(commands);
    CHECK(first.status == (commands == 4 ? Status::ok : Status::aborted));
    static_cast<void>(device.take());
    CHECK(device.run(program).cycles == clocks);
    CHECK(device.get(z.address, words_for_bits(6'010)) == 2 * (x * x + x));
  }
  CHECK(std::ranges::none_of(completed, [](int times) { return times == 0; }));
}

TEST_CASE("errors of the memory end a program with their address", "[device]") {
  const DeviceMemory memory = small_memory();
  const std::uint64_t bad = memory.base() + 50 * kWordBytes;
  for (std::uint32_t place = 0; place < 4; ++place) {
    RawDevice device = simulated({.failing_address = bad});
    const auto fails = [&](const Command& program) {
      const RawCompletion end = device.run(program);
      CHECK(end.status == Status::bus_error);
      CHECK(end.info >> info::commands == place);
      CHECK(join_halves(device.read(reg::err_addr_lo), device.read(reg::err_addr_hi)) == bad);
      device.soft_reset(bit(ctrl::enable));
    };
    CAPTURE(place);
    // A descriptor, behind commands which take longer than it takes to read it.
    std::vector<DescriptorWords> list(4, encode(clear(device.at(1000, 50'000))));
    device.transport().put(bad - place * kWordBytes, std::as_bytes(std::span(list)));
    fails(run(bad - place * kWordBytes, 4));
    // An operand of a command.
    list[place] = encode(copy(device.at(1000, 500), {bad, 500}));
    device.transport().put(device.at(500, 0).address, std::as_bytes(std::span(list)));
    fails(run(device.at(500, 0).address, 4));
    list[place] = encode({});
    device.transport().put(device.at(500, 0).address, std::as_bytes(std::span(list)));
    CHECK(device.status_of(run(device.at(500, 0).address, 4)) == Status::ok);
  }
}

TEST_CASE("a device is stopped while it generates elements, and computes again", "[device]") {
  RawDevice device = simulated();
  RawDevice model = modelled();
  Operands operands(30);
  for (RawDevice* const one : {&device, &model}) {
    one->put(one->at(0, 0).address, Integer(0x1234567));
    one->put(one->at(1, 0).address, power_of_two(8 * 40) - 1);
  }
  const Command sums = select({.destination = device.at(1000, 0).address,
                               .stream = device.at(0, 0).address,
                               .elements = 40,
                               .element_bits = 20'000,
                               .masks = device.at(1, 0).address,
                               .sums = 8,
                               .sum_words = 40});
  CHECK(model.status_of(sums) == Status::ok);
  for (std::uint64_t step = 0; step < 2'400; step += 60) {
    device.give(sums);
    device.transport().step(step);
    device.soft_reset(bit(ctrl::enable));
    static_cast<void>(device.take());
    CHECK(device.status_of(sums) == Status::ok);
    CHECK(device.get(device.at(1000, 0).address, 320) == model.get(model.at(1000, 0).address, 320));
  }
}

TEST_CASE("a device is stopped while it multiplies elements, and computes again", "[device]") {
  RawDevice device = simulated_throughput();
  RawDevice model = modelled_throughput();
  Operands operands(40);
  const Integer record = operands.bits(160), weights = operands.bits(5 * 1024);
  for (RawDevice* const one : {&device, &model}) {
    one->put(one->at(0, 0).address, record);
    one->put(one->at(1, 0).address, weights, 10);
  }
  const Command sum = weighted_sum({.destination = device.at(1000, 61'040),
                                    .stream = device.at(0, 0).address,
                                    .elements = 5,
                                    .element_bits = 60'000,
                                    .weights = device.at(1, 0).address,
                                    .weight_bits = 1'024});
  CHECK(model.status_of(sum) == Status::ok);
  for (const std::uint64_t step : {0U, 10U, 40U, 60U, 75U, 90U, 500U, 1'200U, 1'500U, 2'400U}) {
    device.give(sum);
    device.transport().step(step);
    device.soft_reset(bit(ctrl::enable));
    CHECK(device.take().status == Status::aborted);
    CHECK(device.status_of(sum) == Status::ok);
    CHECK(device.get(device.at(1000, 0).address, 120) == model.get(model.at(1000, 0).address, 120));
  }
}

TEST_CASE("a device is stopped in every phase of a product, and computes again", "[device]") {
  const auto [engine, clocks] = GENERATE(table<Engine, std::vector<std::uint64_t>>(
      {{Engine::mul768, {0, 5, 30, 200, 3'000, 20'000, 38'000}},
       {Engine::stream768, {0, 5, 30, 200, 3'000, 20'000, 52'000}},
       {Engine::throughput, {0, 5, 15, 30, 45, 60, 200, 900, 1'100, 1'190}},
       {Engine::fftmul, {0, 5, 30, 50, 60, 200, 600, 900, 1'100}}}));
  RawDevice device = engine == Engine::throughput ? simulated_throughput() : simulated();
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

TEST_CASE("errors of the memory end a command with their address", "[device]") {
  const DeviceMemory memory = small_memory();
  const std::uint64_t bad = memory.base() + 50 * kWordBytes;
  RawDevice device = simulated({.failing_address = bad});
  const auto fails_at_the_word = [&](const Command& command) {
    CHECK(device.status_of(command) == Status::bus_error);
    CHECK(device.error_code() == Status::bus_error);
    CHECK(join_halves(device.read(reg::err_addr_lo), device.read(reg::err_addr_hi)) == bad);
    device.soft_reset(bit(ctrl::enable));
  };
  const DeviceInteger z = device.at(1000, 9'000);
  fails_at_the_word(copy(z, device.at(48, 2'000)));
  fails_at_the_word(add(z, device.at(100, 500), device.at(50, 500)));
  fails_at_the_word(copy(device.at(50, 500), device.at(1000, 500)));
  fails_at_the_word({.opcode = Opcode::set_ctx, .parameter = bad});
  fails_at_the_word(multiply(z, device.at(45, 4'000), device.at(100, 500)));
  fails_at_the_word(multiply(z, device.at(100, 500), device.at(45, 4'000)));
  fails_at_the_word(multiply_add(device.at(48, 2'000), device.at(100, 500), device.at(102, 500)));
  fails_at_the_word(product_sum(
      {.destination = z, .list = bad, .terms = 3, .element_bits = 9, .weight_bits = 9}));
  fails_at_the_word(product_sum({.destination = z,
                                 .list = device.at(60, 0).address,
                                 .terms = 3,
                                 .element_bits = 9,
                                 .sparse = true,
                                 .generated = true,
                                 .stream = bad}));
  Selection selection{.destination = z.address,
                      .stream = bad,
                      .elements = 3,
                      .element_bits = 9,
                      .masks = device.at(60, 0).address,
                      .sums = 1,
                      .sum_words = 1};
  fails_at_the_word(select(selection));
  selection.stream = device.at(51, 0).address;
  selection.masks = bad;
  fails_at_the_word(select(selection));
  fails_at_the_word(multiply_windows({.destination = z.address,
                                      .stream = device.at(51, 0).address,
                                      .elements = 3,
                                      .element_bits = 900,
                                      .number = device.at(49, 1'000)}));
  CHECK(device.status_of(copy(z, device.at(51, 2'000))) == Status::ok);
}

TEST_CASE("a failed write of a sum is told while its list is read", "[device]") {
  const std::uint64_t destination = small_memory().base() + 500 * kWordBytes;
  for (std::uint64_t word = 0; word < 28; ++word) {
    const std::uint64_t bad = destination + word * kWordBytes;
    RawDevice device = simulated({.failing_address = bad});
    Integer addresses;
    for (int i = 0; i < 120; ++i) addresses = (addresses << 64) + device.at(0, 0).address;
    device.put(device.at(200, 0).address, addresses, 15);
    CHECK(device.status_of(product_sum({.destination = device.at(500, 28 * 512),
                                        .list = device.at(200, 0).address,
                                        .terms = 60,
                                        .element_bits = 21 * 512,
                                        .weight_bits = 500})) == Status::bus_error);
    // The address of a word that was read, or of what is written.
    const std::uint64_t told =
        join_halves(device.read(reg::err_addr_lo), device.read(reg::err_addr_hi));
    CHECK((told == bad || told == destination));
  }
}

TEST_CASE("the watchdog ends a command, and the next one is right", "[device]") {
  RawDevice device = simulated();
  device.put(device.at(0, 0).address, 7);
  device.put(device.at(1, 0).address, 9);
  device.write(reg::watchdog, 1'000);
  const Command product =
      by(Engine::mul768, multiply(device.at(3, 8), device.at(0, 4), device.at(1, 4)));
  const RawCompletion stopped = device.run(product);
  CHECK(stopped.status == Status::watchdog);
  CHECK(stopped.cycles >= 1'000);
  CHECK(stopped.cycles < 1'100);
  CHECK(has_bit(device.read(reg::irq_status), irq::watchdog));
  device.write(reg::watchdog, 0);
  CHECK(device.status_of(product) == Status::ok);
  CHECK(device.get(device.at(3, 0).address) == 63);
}

TEST_CASE("a memory that answers no more is seen from outside, and power brings it back",
          "[device]") {
  RawDevice device = simulated({.answers = 20});
  device.write(reg::watchdog, 500);
  device.give(copy(device.at(500, 100'000), device.at(0, 100'000)));
  device.transport().step(5'000);
  CHECK(device.status(device_status::busy));
  CHECK_FALSE(device.status(device_status::cpl_available));
  device.write(reg::ctrl, bit(ctrl::soft_reset));
  device.transport().step(5'000);
  CHECK(has_bit(device.read(reg::ctrl), ctrl::soft_reset));  // it still waits for the memory
  device.transport().reset();
  CHECK(device.read(reg::ctrl) == 0);
  CHECK(device.status(device_status::idle));
}

TEST_CASE("commands take the clocks that the README states", "[device]") {
  RawDevice device = simulated();
  RawDevice model = modelled();
  const auto at = [&](std::uint64_t word, std::uint32_t words) {
    return device.at(word, 512 * words);
  };
  const auto check = [&](const Command& command, std::uint32_t clocks) {
    check_clocks(device, model, command, clocks);
  };
  check({}, 4);
  check(clear(at(4000, 100)), 12 + 131);
  check(copy(at(4000, 100), at(0, 100)), 12 + 156);
  check(add(at(4000, 100), at(0, 100), at(1000, 100)), 12 + 256);
  check(subtract_if_not_less(at(4000, 100), at(0, 100), at(1000, 100)), 12 + 233 + 256);
  check(sparse_multiply(at(4000, 108), at(0, 100), at(1000, 1).address, 15), 12 + 100 + 216);
  const auto by_blocks = [](const Command& product) { return by(Engine::mul768, product); };
  check(by_blocks(multiply(at(4000, 2), at(0, 1), at(1000, 1))), 12 + 39'136);
  check(multiply(at(4000, 1536), at(0, 768), at(1000, 768)), 12 + 39'136 + 512);
  check(multiply_add(at(4000, 3072), at(0, 1536), at(2000, 1536)), 12 + 39'136 + 1024 + 32 + 24);
  check(by_blocks(multiply(at(4000, 3001), at(0, 3000), at(3500, 1))), 12 + 41'184);
  check(by(Engine::stream768, multiply(at(4000, 2), at(0, 1), at(1000, 1))), 12 + 55'361);
  // By rows: those of low_latency_multiplier in the second bracket.
  check(multiply(at(4000, 14), at(0, 7), at(1000, 7)), 12 + 95 + (507 + 128 + 128));
  check(multiply(at(4000, 2), at(0, 1), at(1000, 1)), 12 + 69 + (507 + 128 + 128));
  check(multiply(at(4000, 295), at(0, 288), at(1000, 7)), 12 + 69 + (507 + 22 * 128 + 128));
  check(multiply(at(4000, 500), at(0, 100), at(1000, 50)),
        12 + 95 + (507 + 8 * 8 * 128 + 192) + 339);
  const DeviceInteger list = at(6000, 40);
  Integer addresses;
  for (int i = 0; i < 158; ++i)
    addresses = (addresses << 128) + (Integer(at(1000, 0).address) << 64) + at(0, 0).address;
  device.put(list.address, addresses, 40);
  model.put(list.address, addresses, 40);
  check(product_sum({.destination = at(4000, 290),
                     .list = list.address,
                     .terms = 158,
                     .element_bits = 147'456,
                     .weight_bits = 936}),
        12 + 69 + (507 + 158 * 22 * 128 + 128));
  // Of generated elements.
  check(product_sum({.destination = at(4000, 297),
                     .list = list.address,
                     .terms = 158,
                     .element_bits = 147'456,
                     .sparse = true,
                     .sparse_weight = 15,
                     .generated = true,
                     .stream = at(3000, 1).address}),
        12 + 28 + 5 + 28 + 694 + 157 * 594);
  Selection selection{.destination = at(4000, 1).address,
                      .stream = at(3000, 1).address,
                      .elements = 10,
                      .element_bits = 147'456,
                      .masks = at(3001, 1).address,
                      .sums = 5,
                      .sum_words = 289};
  check(select(selection), 12 + 55 + 39 + 10 * 73 + 5 * 289);
  selection.elements = 130;
  selection.sum_words = 600;
  check(select(selection), 12 + 55 + 41 + 130 * 150 + 5 * 600);
  selection.sum_words = 2'100;
  check(select(selection), 12 + 55 + 2 * 41 + 130 * (512 + 13) + 5 * 2'100);
  check(multiply_windows({.destination = at(4000, 1).address,
                          .stream = at(3000, 1).address,
                          .elements = 158,
                          .element_bits = 147'456,
                          .number = at(0, 288)}),
        12 + 93 + 158 * 72 + 3 * 16);
  check(multiply_windows({.destination = at(4000, 1).address,
                          .masks = true,
                          .width = 5,
                          .stream = at(3000, 1).address,
                          .elements = 158,
                          .element_bits = 147'456,
                          .number = at(0, 288)}),
        12 + 93 + 158 * 72 + 3 * 16);
  // Of elements that are stored.
  selection.stored = true;
  selection.address = at(1000, 1).address;
  selection.elements = 10;
  selection.element_bits = 1'500;
  selection.sum_words = 4;
  check(select(selection), 12 + 26 + 39 + 10 * 4 + 5 * 4);
  // Programs: short commands as fast as descriptors come, and others.
  const auto check_program = [&](const std::vector<Command>& commands, std::uint32_t clocks) {
    std::vector<DescriptorWords> descriptors;
    for (const Command& command : commands) descriptors.push_back(encode(command));
    for (RawDevice* const one : {&device, &model})
      one->transport().put(at(7000, 0).address, std::as_bytes(std::span(descriptors)));
    check(fpga::run(at(7000, 0).address, static_cast<std::uint16_t>(descriptors.size())), clocks);
  };
  check(fpga::run(0, 0), 12);
  check_program({{}}, 12 + 27 + 4);
  check_program(std::vector<Command>(10), 12 + 27 + 4 + 9 * 27);
  check_program(std::vector<Command>(10, clear(at(4000, 100))), 12 + 27 + 143 + 9 * (2 + 143));
}

TEST_CASE("commands of the throughput multiplier take the clocks that its README states",
          "[device]") {
  RawDevice device = simulated_throughput();
  RawDevice model = modelled_throughput();
  const auto at = [&](std::uint64_t word, std::uint32_t words) {
    return device.at(word, 512 * words);
  };
  const auto check = [&](const Command& product, std::uint32_t clocks) {
    const Command command = by(Engine::throughput, product);
    check_clocks(device, model, command, clocks);
  };
  // F, its constant, what loading, the products before the last one and the words of this take.
  check(multiply(at(8000, 2), at(0, 1), at(4000, 1)), 12 + 1172 + 67 + 3);
  check(multiply(at(8000, 192), at(0, 96), at(4000, 96)), 12 + 1172 + 67 + 64 + 256);
  check(multiply(at(8000, 1056), at(0, 960), at(4000, 96)), 12 + 1172 + 67 + 64 + 9 * 256 + 256);
  check(multiply(at(8000, 3072), at(0, 1536), at(4000, 1536)), 12 + 8896 + 67 + 1024 + 4096);
  check(multiply(at(8000, 6144), at(0, 3072), at(4000, 3072)),
        12 + 8896 + 67 + 1024 + 3 * 4096 + 4096);
  check(multiply_add(at(8000, 192), at(0, 96), at(4000, 96)), 12 + 1172 + 67 + 64 + 256 + 24);
}

TEST_CASE("commands on lines of eight words take the clocks that the README states", "[device]") {
  RawDevice device = simulated_throughput();
  RawDevice model = modelled_throughput();
  const auto at = [&](std::uint64_t word, std::uint32_t words) {
    return device.at(word, 512 * words);
  };
  const auto check = [&](const Command& command, std::uint32_t clocks) {
    check_clocks(device, model, command, clocks);
  };
  Selection selection{.destination = at(4000, 1).address,
                      .stream = at(3000, 1).address,
                      .elements = 10,
                      .element_bits = 147'456,
                      .masks = at(3001, 1).address,
                      .sums = 5,
                      .sum_words = 289};
  check(select(selection), 12 + 55 + 39 + 10 * 37 + 5 * 289);
  selection.elements = 130;
  selection.sum_words = 4'100;
  check(select(selection), 12 + 55 + 2 * 41 + 130 * (512 + 4) + 5 * 4'100);
  Windows windows{.destination = at(4000, 1).address,
                  .stream = at(3000, 1).address,
                  .elements = 158,
                  .element_bits = 147'456,
                  .number = at(0, 288)};
  check(multiply_windows(windows), 12 + 93 + 158 * 36 + 7 * 8);
  windows.elements = 1;
  check(multiply_windows(windows), 12 + 93 + 8 * 36);
  // Of elements that are stored.
  selection.stored = true;
  selection.address = at(1000, 1).address;
  selection.elements = 10;
  selection.element_bits = 1'500;
  selection.sum_words = 4;
  check(select(selection), 12 + 26 + 39 + 10 * 8 + 5 * 4);
}

namespace {

void check_weighted_clocks(std::uint16_t elements, std::uint32_t words, std::uint32_t d_words,
                           std::uint32_t clocks) {
  RawDevice device = simulated_throughput();
  RawDevice model = modelled_throughput();
  const Command command = weighted_sum({.destination = device.at(8000, 512 * d_words),
                                        .stream = device.at(0, 0).address,
                                        .elements = elements,
                                        .element_bits = 512 * words,
                                        .weights = device.at(1, 0).address,
                                        .weight_bits = 936});
  check_clocks(device, model, command, clocks);
}

}  // namespace

// The sum of an encryption at Toy, one of many slices, and one with zeros above.
TEST_CASE("weighted sums take the clocks that the README of their multiplier states", "[device]") {
  check_weighted_clocks(158, 288, 291, 12 + 28 + 5 + 1239 + 158 * 256 + 142);
  check_weighted_clocks(3, 4000, 4003, 12 + 28 + 5 + 1239 + 43 * 256 + 185);
  check_weighted_clocks(10, 100, 400, 12 + 28 + 5 + 1239 + 10 * 256 + 255 + 3 + 24);
}

TEST_CASE("weighted sums of more terms than one part has take the clocks of both",
          "[device][long]") {
  check_weighted_clocks(515, 1, 3, 12 + 28 + 5 + 2 * (1239 + 3) + (511 + 2) * 256 + 28);
}

TEST_CASE("a modular product of CNT Large, in four steps", "[device][long]") {
  constexpr std::uint32_t kPhi = 19'350'000;
  constexpr std::uint64_t kWords = 1'400'000;
  const auto memory = [] { return DeviceMemory(std::uint64_t{4} << 30, kWords * kWordBytes); };
  RawDevice device = simulated_throughput(memory());
  RawDevice model = modelled_throughput(memory());
  Operands operands(36);
  const Integer modulus = operands.exactly(kPhi);
  const Integer x = operands.bits(kPhi) % modulus, y = operands.bits(kPhi) % modulus;
  const BarrettShape shape = barrett_shape(kPhi, kPhi);
  const std::uint64_t words = words_for_bits(kPhi);
  const DeviceInteger a = device.at(10, kPhi), b = device.at(40'000, kPhi),
                      product = device.at(80'000, 2 * kPhi), result = device.at(160'000, kPhi);
  const Context context{.shape = shape,
                        .modulus = device.at(200'000, 0).address,
                        .reciprocal = device.at(240'000, 0).address,
                        .scratch = device.at(280'000, 0).address,
                        .scratch_words = static_cast<std::uint32_t>(shape.scratch_words())};
  const std::uint64_t scratch = device.at(450'000, 0).address;
  const Command reduction = in_four_steps(reduce(kContext, result, product), 2, scratch);
  std::vector<std::uint64_t> law, clocks;  // of a product, and of reductions
  for (RawDevice* const one : {&model, &device}) {
    one->put(a.address, x, words);
    one->put(b.address, y, words);
    one->put(context.modulus, modulus, words);
    one->put(context.reciprocal, barrett_reciprocal(shape, modulus), shape.reciprocal_words());
    one->put_record(one->at(0, 0).address, context);
    CHECK(one->status_of({.opcode = Opcode::set_ctx,
                          .context = kContext,
                          .parameter = one->at(0, 0).address}) == Status::ok);
    std::vector<std::uint64_t>& counted = one == &model ? law : clocks;
    counted.push_back(one->run(in_four_steps(multiply(product, a, b), 3, scratch)).cycles);
    for (const Transforms transforms : {Transforms::none, Transforms::left, Transforms::taken}) {
      one->put(result.address, 0, words);
      counted.push_back(
          one->run(with_transforms(reduction, transforms, one->at(980'000, 0).address)).cycles);
      CHECK(one->get(result.address, words) == Integer(x * y % modulus));
    }
  }
  for (std::size_t i = 0; i < law.size(); ++i) {
    CHECK(std::max(clocks[i], law[i]) - std::min(clocks[i], law[i]) < law[i] / 1000);
    WARN("of a modular product of CNT Large: " << clocks[i] << " clocks");
  }
  CHECK(clocks[0] + clocks[1] < 3'850'000);
  CHECK(clocks[0] + clocks[3] < 3'410'000);
}

}  // namespace fhe::fpga::test
