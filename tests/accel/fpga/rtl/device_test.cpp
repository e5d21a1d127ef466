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
#include "tests/accel/fpga/rtl/device_pair.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::fpga::test {

namespace {

// A netlist is given fewer commands.
#ifdef FHE_NETLIST
constexpr int kFewer = 5;
#else
constexpr int kFewer = 1;
#endif

}  // namespace

TEST_CASE("random short commands give the same on the device and on its model", "[device]") {
  Pair devices;
  Operands operands(20);
  for (int i = 0; i < 300 / kFewer; ++i)
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
  for (int i = 0; i < 300 / kFewer; ++i)
    devices.run(spoilt(
        operands.coin() ? sparse_command(devices, operands) : short_command(devices, operands),
        operands));
}

TEST_CASE("ones above an operand are found alike on the device and on its model", "[device]") {
  Pair devices;
  Operands operands(27);
  int found = 0;
  for (int i = 0; i < 200 / kFewer; ++i) {
    Command command = operands.between(0, 3) == 0 ? sparse_command(devices, operands)
                                                  : short_command(devices, operands);
    DeviceInteger& cut = operands.coin() ? command.source0 : command.source1;
    cut.bits -= std::min<std::uint32_t>(cut.bits, operands.coin() ? 1 : 0);
    const Command checked = command.with(flag::check_pad).with(flag::crc);
    if (devices.run(checked) != Status::pad_not_zero) continue;
    ++found;
    devices.put(kDestinationWord, 0, 50);  // or what was there is undefined
  }
  CHECK(found > 10 / kFewer);
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
  for (int i = 0; i < 500 / kFewer; ++i) {
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
  CHECK(accepted > 50 / kFewer);
}

TEST_CASE("a memory that stalls and is slow changes nothing but the clocks", "[device]") {
  const unsigned latency = GENERATE(1U, 7U, 150U);
  Pair devices({.latency_clocks = latency, .stall_percent = 40, .seed = latency});
  Operands operands(22);
  for (int i = 0; i < 60 / kFewer; ++i)
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

TEST_CASE("products of rows give the same on the device and on its model", "[device]") {
  Pair devices;
  Operands operands(29);
  const auto bits = [&](std::size_t words) {
    return static_cast<std::uint32_t>(operands.between(0, words * kWordBits));
  };
  for (int i = 0; i < 60 / kFewer; ++i) {
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

TEST_CASE("sums of generated elements give the same on the device and on its model", "[device]") {
  Pair devices;
  check_generated_sums(devices);
}

TEST_CASE("sums of stored elements give the same on the device and on its model", "[device]") {
  Pair devices;
  check_stored_sums(devices);
}

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

TEST_CASE("a device is stopped in every phase of a product, and computes again", "[device]") {
  const auto [engine, clocks] = GENERATE(table<Engine, std::vector<std::uint64_t>>(
      {{Engine::mul768, {0, 5, 30, 200, 3'000, 20'000, 38'000}},
       {Engine::stream768, {0, 5, 30, 200, 3'000, 20'000, 52'000}},
       {Engine::fftmul, {0, 5, 30, 50, 60, 200, 600, 900, 1'100}}}));
  RawDevice device = simulated();
  check_stopped_products(device, engine, clocks);
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

}  // namespace fhe::fpga::test
