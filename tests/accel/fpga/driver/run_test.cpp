// SPDX-License-Identifier: Apache-2.0
// Programs: what their commands compute, how they end, and what stops them, on the model and on the
// simulated RTL.
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "accel/fpga/model/model_transport.hpp"
#include "tests/accel/fpga/driver/raw_device.hpp"
#include "tests/accel/fpga/driver/transports.hpp"
#include "tests/catch.hpp"

namespace fhe::fpga::test {

namespace {

constexpr std::uint32_t kAnyIrq = kAllInterrupts;

std::uint32_t commands_in(const RawCompletion& completion) {
  return completion.info >> info::commands;
}

std::uint32_t bits_in(const RawCompletion& completion) {
  return completion.info & (bit(info::commands) - 1);
}

// A device of this process with a list of descriptors in its memory.
class Programs {
 public:
  static constexpr std::uint64_t kListAt = 2000;  // words from the beginning of memory
  static constexpr std::uint16_t kTag = 0x7a7a;

  explicit Programs(std::unique_ptr<LocalTransport> transport = any_local_device())
      : device(std::move(transport)) {
    device.enable();
  }

  [[nodiscard]] Command placed(const std::vector<DescriptorWords>& list) {
    device.transport().put(device.at(kListAt, 0).address, std::as_bytes(std::span(list)));
    Command program = run(device.at(kListAt, 0).address, static_cast<std::uint16_t>(list.size()));
    program.tag = kTag;
    return program;
  }
  [[nodiscard]] Command placed(const std::vector<Command>& commands) {
    std::vector<DescriptorWords> list;
    for (const Command& command : commands) list.push_back(encode(command));
    return placed(list);
  }

  RawCompletion end_of(const std::vector<Command>& commands) {
    return device.run(placed(commands));
  }

  // 1, 2, 4 .. in words 0, 1, 2 ..
  void put_powers() {
    for (unsigned i = 0; i < 8; ++i) device.put(device.at(i, 0).address, Integer(1U << i));
  }
  [[nodiscard]] DeviceInteger word(std::uint64_t number) const { return device.at(number, 512); }

  RawDevice device;
};

// A modulus of 1000 bits, with the record of its context.
Context place_modulus(RawDevice& device, std::uint64_t record_at) {
  const Context context =
      place_modulus(device, barrett_shape(1000, 500), power_of_two(999) + 12345);
  device.put_record(device.at(record_at, 0).address, context);
  return context;
}

}  // namespace

TEST_CASE_METHOD(Programs, "a program has one completion, and its commands none") {
  put_powers();
  device.write(reg::ctrl, bit(ctrl::enable) | bit(ctrl::perf_clear));
  const RawCompletion end = end_of({add(word(10), word(0), word(1)).with(flag::irq),
                                    add(word(11), word(10), word(2)).with(flag::crc),
                                    {.opcode = Opcode::nop},
                                    add(word(10), word(11), word(11))});
  CHECK(end.status == Status::ok);
  CHECK(end.tag == kTag);
  CHECK(end.sequence == 0);
  CHECK(commands_in(end) == 4);
  CHECK(bits_in(end) == 0);
  CHECK(device.get(word(11).address) == 7);
  CHECK(device.get(word(10).address) == 14);
  CHECK_FALSE(device.status(device_status::cpl_available));
  CHECK((device.read(reg::irq_status) & kAnyIrq) == 0);
  CHECK(device.read(reg::perf + 8 * counter::cmds) == 1);
  CHECK(device.read(reg::perf + 8 * counter::errors) == 0);
  // With its own flag, and behind another command.
  device.give(add(word(12), word(0), word(0)));
  const RawCompletion second =
      (device.give(placed({add(word(13), word(12), word(2))}).with(flag::irq)), device.take());
  CHECK(second.sequence == 1);
  const RawCompletion third = device.take();
  CHECK(third.sequence == 2);
  CHECK(commands_in(third) == 1);
  CHECK(device.get(word(13).address) == 6);
  CHECK(has_bit(device.read(reg::irq_status), irq::completion));
}

TEST_CASE_METHOD(Programs, "a program tells what any of its commands told") {
  device.put(word(0).address, power_of_two(512) - 1);
  device.put(word(1).address, 1);
  const Command carries = add(word(10), word(0), word(1));
  const Command subtracts = subtract_if_not_less(word(11), word(0), word(1));
  const Command neither = add(word(12), word(1), word(1));
  CHECK(bits_in(end_of({neither, neither})) == 0);
  CHECK(bits_in(end_of({carries, neither})) == bit(info::carry));
  CHECK(bits_in(end_of({neither, carries})) == bit(info::carry));
  CHECK(bits_in(end_of({subtracts, neither, neither})) == bit(info::subtracted));
  CHECK(bits_in(end_of({carries, neither, subtracts})) ==
        (bit(info::carry) | bit(info::subtracted)));
  CHECK(bits_in(end_of({neither})) == 0);  // nothing is left of it
  CHECK(device.run(neither).info == 0);
}

TEST_CASE_METHOD(Programs, "masks, and the elements that they select, in one program") {
  // c = 5/8 of its range, and elements 1, 1, 2, so that their masks of 3 bits are 5, 5, 2.
  device.put(word(0).address, Integer(5) << 509);
  for (const std::uint64_t i : {1U, 2U}) device.put(word(i).address, 1);
  device.put(word(3).address, 2);
  const Windows windows{.destination = word(4).address,
                        .masks = true,
                        .width = 3,
                        .stored = true,
                        .address = word(1).address,
                        .elements = 3,
                        .element_bits = 2,
                        .number = word(0)};
  const Selection selection{.destination = word(8).address,
                            .stored = true,
                            .address = word(1).address,
                            .elements = 3,
                            .element_bits = 2,
                            .masks = word(4).address,
                            .sums = 3,
                            .sum_words = 1};
  const RawCompletion end = end_of({multiply_windows(windows), select(selection)});
  CHECK(end.status == Status::ok);
  CHECK(bits_in(end) == 0);
  CHECK(device.get(word(4).address) == 0x020505);
  CHECK(device.get(word(8).address) == 2);
  CHECK(device.get(word(9).address) == 2);
  CHECK(device.get(word(10).address) == 2);
}

TEST_CASE_METHOD(Programs, "a program sets contexts, and uses them") {
  place_modulus(device, 1100);
  const Integer x = power_of_two(1400) + 77;
  device.put(device.at(20, 0).address, x, 3);
  const Command set{
      .opcode = Opcode::set_ctx, .context = 2, .parameter = device.at(1100, 0).address};
  const Command reduction = reduce(2, device.at(30, 1000), device.at(20, 1500));
  const RawCompletion before = end_of({{.opcode = Opcode::nop}, reduction, set});
  CHECK(before.status == Status::no_ctx);
  CHECK(commands_in(before) == 1);
  const RawCompletion end = end_of({set, reduction});
  CHECK(end.status == Status::ok);
  CHECK(device.get(device.at(30, 0).address, 2) == x % (power_of_two(999) + 12345));
  CHECK(device.status_of(reduction) == Status::ok);  // it stays set
}

TEST_CASE_METHOD(Programs, "a program without commands has no list") {
  for (const std::uint64_t address : {std::uint64_t{0}, std::uint64_t{3}, device.end()}) {
    const RawCompletion end = device.run(run(address, 0));
    CHECK(end.status == Status::ok);
    CHECK(end.info == 0);
  }
}

TEST_CASE_METHOD(Programs, "the list of a program lies in memory") {
  const std::uint64_t last = device.end() - 3 * kWordBytes;
  const std::vector<DescriptorWords> nothing(3, encode({}));
  device.transport().put(last, std::as_bytes(std::span(nothing)));
  CHECK(device.run(run(last, 3)).info == 3U << info::commands);
  for (const auto& [address, status] :
       {std::pair{last + kWordBytes, Status::range}, std::pair{last + 8, Status::bad_align},
        std::pair{device.base() - kWordBytes, Status::range},
        std::pair{~std::uint64_t{63}, Status::range}}) {
    const RawCompletion end = device.run(run(address, 3));
    CAPTURE(address);
    CHECK(end.status == status);
    CHECK(end.info == 0);
  }
}

TEST_CASE("a program of as many commands as there may be") {
  Programs programs(std::make_unique<ModelTransport>(test_memory()));
  const RawCompletion end = programs.device.run(run(programs.device.base(), 0xffff));
  CHECK(end.status == Status::ok);  // of zeros: nop
  CHECK(end.info == 0xffffU << info::commands);
}

// At every place in a program, with what was completed before it; nothing behind it is run.
TEST_CASE_METHOD(Programs, "the first command that fails ends a program with its status") {
  put_powers();
  place_modulus(device, 1100);
  const DeviceInteger x = word(0), y = word(1), z = device.at(10, 1024);
  DescriptorWords damaged = encode(add(z, x, y).with(flag::crc));
  damaged[descriptor::crc] ^= 0x100;
  DescriptorWords unknown = encode({});
  unknown[descriptor::command] = 0xee;
  device.put(word(7).address, power_of_two(111));  // above 100 bits, and as an index: too large
  const std::vector<std::pair<Status, DescriptorWords>> failures = {
      {Status::crc, damaged},
      {Status::bad_opcode, unknown},
      {Status::bad_opcode, encode(run(device.at(kListAt, 0).address, 1))},
      {Status::bad_opcode, encode(run(0, 0))},
      {Status::no_ctx, encode(reduce(1, z, x))},
      {Status::length, encode(add(device.at(10, 100), x, y))},
      {Status::bad_align, encode(copy(z, {x.address + 8, 512}))},
      {Status::range, encode(copy(z, {device.end(), 512}))},
      {Status::overlap, encode(multiply(z, {z.address, 512}, y))},
      {Status::pad_not_zero, encode(copy(z, {word(7).address, 100}).with(flag::check_pad))},
      {Status::length, encode(sparse_multiply(device.at(10, 5000), x, word(7).address, 15))},
  };
  for (std::size_t failure = 0; failure < failures.size(); ++failure) {
    for (std::uint32_t place = 0; place < 4; ++place) {
      CAPTURE(failure, place);
      std::vector<DescriptorWords> list;
      for (std::uint64_t i = 0; i < 4; ++i) {
        device.put(word(40 + i).address, 99);
        list.push_back(encode(add(word(40 + i), word(i), word(i))));
      }
      list[place] = failures[failure].second;
      device.soft_reset(bit(ctrl::enable));
      const RawCompletion end = device.run(placed(list));
      CHECK(name(end.status) == name(failures[failure].first));
      CHECK(end.tag == kTag);
      CHECK(commands_in(end) == place);
      CHECK(device.error_code() == failures[failure].first);
      CHECK(device.read(reg::err_tag) == kTag);
      for (std::uint64_t i = 0; i < 4; ++i)
        CHECK(device.get(word(40 + i).address) == (i < place ? 2U << i : 99U));
      CHECK(device.status_of(add(word(50), x, y)) == Status::ok);
    }
  }
}

TEST_CASE_METHOD(Programs, "a program that fails halts the queue if that is asked for") {
  device.enable(bit(ctrl::halt_on_error));
  device.give(placed({{.opcode = Opcode::nop}, reduce(9, word(1), word(0))}));
  device.give(Command{.opcode = Opcode::nop});
  CHECK(device.take().status == Status::no_ctx);
  device.transport().step(1'000);
  CHECK(device.status(device_status::halted));
  CHECK_FALSE(device.status(device_status::cpl_available));
  device.soft_reset(bit(ctrl::enable));
  CHECK(device.take().status == Status::aborted);
  CHECK(end_of({{.opcode = Opcode::nop}}).status == Status::ok);
}

TEST_CASE_METHOD(Programs, "a program goes on when the device is not enabled any more") {
  put_powers();
  std::vector<Command> commands(400, {.opcode = Opcode::nop});
  commands.push_back(add(word(10), word(0), word(1)));
  device.give(placed(commands));
  device.give(Command{.opcode = Opcode::nop});
  device.write(reg::ctrl, 0);
  const RawCompletion end = device.take();
  CHECK(end.status == Status::ok);
  CHECK(commands_in(end) == 401);
  CHECK(device.get(word(10).address) == 3);
  device.transport().step(1'000);
  CHECK_FALSE(device.status(device_status::cpl_available));
  device.enable();
  CHECK(device.take().status == Status::ok);
}

// Each takes 512 words, at most 600 clocks and at least 512.
TEST_CASE_METHOD(Programs, "the watchdog counts for each command of a program") {
  const Command copying = copy(device.at(6000, 512 * 512), device.at(5000, 512 * 512));
  const std::vector<Command> commands(5, copying);
  device.write(reg::watchdog, 700);
  const RawCompletion good = end_of(commands);
  CHECK(good.status == Status::ok);
  CHECK(good.cycles > 5 * 512);
  device.write(reg::watchdog, 500);
  const RawCompletion bad = end_of({{.opcode = Opcode::nop}, {.opcode = Opcode::nop}, copying});
  CHECK(bad.status == Status::watchdog);
  CHECK(commands_in(bad) == 2);
  CHECK(has_bit(device.read(reg::irq_status), irq::watchdog));
  device.write(reg::watchdog, 0);
  CHECK(end_of(commands).status == Status::ok);
}

TEST_CASE_METHOD(Programs, "a soft reset ends a program in any of its states") {
  put_powers();
  const std::vector<Command> commands = {
      {.opcode = Opcode::nop},
      add(word(10), word(0), word(1)),
      multiply_windows({.destination = word(20).address,
                        .masks = true,
                        .width = 5,
                        .stored = true,
                        .address = word(0).address,
                        .elements = 3,
                        .element_bits = 512,
                        .number = word(3)}),
      clear(word(11)),
      add(word(10), word(10), word(10)),
  };
  const Command program = placed(commands);
  const std::uint32_t clocks = device.run(program).cycles;
  REQUIRE(clocks > 200);
  REQUIRE(clocks < 600);
  bool whole = false;
  for (std::uint64_t step = 0; step < 700; step += 7) {
    CAPTURE(step);
    device.soft_reset();  // a doorbell alone starts nothing
    device.give(program);
    device.give(add(word(12), word(10), word(1)));
    device.enable();
    device.transport().step(step);
    device.soft_reset(bit(ctrl::enable));
    const RawCompletion first = device.take();
    const RawCompletion second = device.take();
    CHECK((first.status == Status::aborted || first.status == Status::ok));
    CHECK((second.status == Status::aborted || first.status == Status::ok));
    CHECK(first.tag == kTag);
    CHECK(commands_in(first) <= commands.size());
    CHECK((commands_in(first) == commands.size()) == (first.status == Status::ok));
    whole = whole || first.status == Status::ok;
    CHECK_FALSE(device.status(device_status::cpl_available));
    CHECK(device.status(device_status::idle));
    const RawCompletion again = device.run(program);
    CHECK(again.status == Status::ok);
    CHECK(again.cycles == clocks);
    CHECK(device.get(word(10).address) == 6);
  }
  CHECK(whole);
}

// The RTL's bus errors are tested with its simulated memory.
TEST_CASE("a descriptor that cannot be read ends a program") {
  for (std::uint16_t place = 0; place < 4; ++place) {
    auto made = std::make_unique<ModelTransport>(test_memory());
    ModelTransport* const model = made.get();
    Programs programs(std::move(made));
    RawDevice& device = programs.device;
    const std::uint64_t list = device.at(Programs::kListAt, 0).address;
    const Command program = programs.placed(std::vector<Command>(4));
    const std::uint64_t broken = list + place * kWordBytes;
    model->break_word(broken, 1);
    const RawCompletion end = device.run(program);
    CAPTURE(place);
    CHECK(end.status == Status::bus_error);
    CHECK(commands_in(end) == place);
    CHECK(join_halves(device.read(reg::err_addr_lo), device.read(reg::err_addr_hi)) == broken);
    CHECK(device.run(program).info == 4U << info::commands);
  }
}

}  // namespace fhe::fpga::test
