// SPDX-License-Identifier: Apache-2.0
// The registers and the queue, without a driver, of the model and of the simulated RTL.
#include <chrono>

#include "accel/fpga/model/model_transport.hpp"
#include "tests/accel/fpga/driver/raw_device.hpp"
#include "tests/accel/fpga/driver/transports.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"

namespace fhe::fpga::test {

namespace {

using fhe::test::HasCode;

// Each device of this process in turn.
RawDevice any_device() {
  return RawDevice(any_local_device());
}

const Command kNop{.tag = 77};

}  // namespace

TEST_CASE("the device says what it is") {
  RawDevice device = any_device();
  CHECK(device.read(reg::magic) == 0x4648'4541);
  CHECK(device.read(reg::version) == kVersion);
  CHECK(device.read(reg::build_id) == kBuildId);
  CHECK(device.read(reg::limits) == 0x0004'1006);
  CHECK(device.read(reg::lhw_param) == 0x0c0f'0100);
  CHECK(has_bit(device.read(reg::features), feature::simulated));
  CHECK(device.base() == std::uint64_t{4} << 30);
  CHECK(device.end() - device.base() == std::uint64_t{64} << 20);
}

TEST_CASE("registers keep what they should and no more") {
  RawDevice device = any_device();
  for (const std::uint32_t offset : {reg::scratch, reg::watchdog}) {
    device.write(offset, 0x1234'5678);
    CHECK(device.read(offset) == 0x1234'5678);
  }
  device.write(reg::irq_mask, 0xffff'ffff);
  CHECK(device.read(reg::irq_mask) == kAllInterrupts);
  for (const std::uint32_t offset : {reg::magic, reg::version, reg::limits, reg::cmd_space}) {
    const std::uint32_t before = device.read(offset);
    device.write(offset, ~before);
    CHECK(device.read(offset) == before);
  }
  CHECK(device.read(0x800) == 0);
  for (const std::uint32_t offset : {1U, 2U, 0x1000U}) {
    CHECK_THROWS_MATCHES(device.read(offset), Error, HasCode(ErrorCode::invalid_argument));
    CHECK_THROWS_MATCHES(device.write(offset, 0), Error, HasCode(ErrorCode::invalid_argument));
  }
}

TEST_CASE("a command waits for enable, then completes with its tag and number") {
  RawDevice device = any_device();
  CHECK(device.status(device_status::idle));
  device.give(kNop);
  device.transport().step(10'000);
  CHECK_FALSE(device.status(device_status::idle));
  CHECK_FALSE(device.status(device_status::busy));
  CHECK_FALSE(device.status(device_status::cpl_available));
  device.enable();
  const RawCompletion first = device.take();
  CHECK(first.status == Status::ok);
  CHECK(first.tag == 77);
  CHECK(first.sequence == 0);
  CHECK(first.cycles > 0);
  CHECK(device.run(kNop).sequence == 1);
  CHECK(device.status(device_status::idle));
  CHECK(device.read(reg::cpl_window) == 0);
}

TEST_CASE("the queue counts what is not taken, and refuses what it has no room for") {
  RawDevice device = any_device();
  device.enable();
  for (std::uint32_t given = 0; given < parameter::queue_depth; ++given) {
    CHECK(device.read(reg::cmd_space) == parameter::queue_depth - given);
    device.give(kNop);
  }
  device.transport().step(10'000);
  CHECK(device.read(reg::cmd_space) == 0);
  CHECK(device.status(device_status::cmd_full));
  CHECK(device.error_code() == Status::ok);
  device.give(kNop);
  CHECK(device.error_code() == Status::sequence);
  CHECK(device.read(reg::err_tag) == 0);
  CHECK(device.read(reg::irq_status) == 0);
  for (std::uint32_t taken = 0; taken < parameter::queue_depth; ++taken)
    CHECK(device.take().sequence == taken);
  CHECK(device.read(reg::cmd_space) == parameter::queue_depth);
  CHECK_FALSE(device.status(device_status::cpl_available));
}

TEST_CASE("another sequence number is refused") {
  RawDevice device = any_device();
  device.enable();
  device.fill_window(encode(kNop));
  device.write(reg::cmd_doorbell, 1);
  CHECK(device.error_code() == Status::sequence);
  CHECK(device.read(reg::cmd_space) == parameter::queue_depth);
  device.write(reg::cmd_doorbell, 0);
  CHECK(device.take().status == Status::ok);
}

TEST_CASE("a failure is kept as the first until the reset") {
  RawDevice device = any_device();
  device.enable();
  const Command unknown{.opcode = static_cast<Opcode>(0xee), .tag = 5};
  CHECK(device.status_of(unknown) == Status::bad_opcode);
  CHECK(device.status_of(copy(device.at(0, 8), {device.at(0, 8).address + 1, 8})) ==
        Status::bad_align);
  CHECK(device.error_code() == Status::bad_opcode);
  CHECK(device.read(reg::err_tag) == 5);
  CHECK_FALSE(device.status(device_status::halted));
  device.soft_reset();
  CHECK(device.error_code() == Status::ok);
  CHECK(device.read(reg::err_tag) == 0);
}

TEST_CASE("with halt_on_error nothing runs after a failure, and a reset aborts it") {
  RawDevice device = any_device();
  device.enable(bit(ctrl::halt_on_error));
  device.put(device.base(), 9);
  device.give(Command{.opcode = static_cast<Opcode>(0xee)});
  device.give(clear(device.at(0, 512)));
  device.transport().step(10'000);
  CHECK(device.status(device_status::halted));
  CHECK(device.take().status == Status::bad_opcode);
  CHECK_FALSE(device.status(device_status::cpl_available));
  device.soft_reset(bit(ctrl::enable));
  const RawCompletion aborted = device.take();
  CHECK(aborted.status == Status::aborted);
  CHECK(aborted.sequence == 1);
  CHECK(device.get(device.base()) == 9);
  CHECK_FALSE(device.status(device_status::halted));
  CHECK(device.run(clear(device.at(0, 512))).sequence == 0);
  CHECK(device.get(device.base()) == 0);
}

TEST_CASE("a reset stops the command under way and keeps completions that are not taken") {
  RawDevice device = any_device();
  device.enable();
  device.put(device.base(), 9);
  device.give(kNop);
  device.transport().step(1000);
  device.give(
      by(Engine::mul768, multiply(device.at(0, 512), device.at(10, 200), device.at(11, 200))));
  device.give(kNop);
  device.transport().step(1000);
  CHECK(device.status(device_status::busy));
  device.soft_reset();
  CHECK(device.take().status == Status::ok);
  CHECK(device.take().status == Status::aborted);
  CHECK(device.take().status == Status::aborted);
  CHECK(device.get(device.base()) == 9);
  CHECK(device.status(device_status::idle));
}

TEST_CASE("the watchdog stops a long command and no short one") {
  RawDevice device = any_device();
  device.enable();
  device.write(reg::watchdog, 1000);
  CHECK(device.run(clear(device.at(0, 512))).status == Status::ok);
  const RawCompletion stopped = device.run(
      by(Engine::mul768, multiply(device.at(0, 512), device.at(10, 200), device.at(11, 200))));
  CHECK(stopped.status == Status::watchdog);
  CHECK(stopped.cycles >= 1000);
  CHECK(stopped.cycles < 1100);
  CHECK(has_bit(device.read(reg::irq_status), irq::watchdog));
  device.write(reg::watchdog, 0);
  CHECK(device.run(multiply(device.at(0, 512), device.at(10, 200), device.at(11, 200))).status ==
        Status::ok);
}

TEST_CASE("interrupts come when they are wanted and go when they are taken back") {
  using std::chrono::milliseconds;
  RawDevice device = any_device();
  LocalTransport& transport = device.transport();
  const Command with_interrupt = kNop.with(flag::irq);

  device.enable();
  device.run(with_interrupt);
  CHECK(device.read(reg::irq_status) == bit(irq::completion));
  CHECK(transport.wait_interrupt(milliseconds(1)) == Interrupt::timed_out);  // not enabled
  device.enable(bit(ctrl::irq_enable));
  CHECK(transport.wait_interrupt(milliseconds(1)) == Interrupt::timed_out);  // masked
  device.write(reg::irq_mask, kAllInterrupts);
  CHECK(transport.wait_interrupt(milliseconds(1)) == Interrupt::raised);
  device.write(reg::irq_status, bit(irq::error));  // another bit
  CHECK(transport.wait_interrupt(milliseconds(1)) == Interrupt::raised);
  device.write(reg::irq_status, bit(irq::completion));
  CHECK(transport.wait_interrupt(milliseconds(1)) == Interrupt::timed_out);

  device.run(kNop);
  CHECK(device.read(reg::irq_status) == 0);
  device.run(Command{.opcode = static_cast<Opcode>(0xee)});
  CHECK(device.read(reg::irq_status) == bit(irq::error));
}

TEST_CASE("waiting for the interrupt lets the device run") {
  RawDevice device = any_device();
  device.write(reg::irq_mask, kAllInterrupts);
  device.enable(bit(ctrl::irq_enable));
  device.give(kNop);
  device.give(square(device.at(0, 400), device.at(10, 200)).with(flag::irq));
  CHECK(device.transport().wait_interrupt(std::chrono::minutes(10)) == Interrupt::raised);
  CHECK(device.take().status == Status::ok);
  CHECK(device.take().status == Status::ok);
}

TEST_CASE("counters count, freeze and clear") {
  RawDevice device = any_device();
  device.enable();
  const auto counter = [&](std::uint32_t number) {
    const std::uint32_t low = device.read(reg::perf + 8 * number);
    return join_halves(low, device.read(reg::perf + 8 * number + 4));
  };
  const RawCompletion product = device.run(
      by(Engine::mul768, multiply(device.at(0, 400), device.at(10, 200), device.at(11, 200))));
  device.run(Command{.opcode = static_cast<Opcode>(0xee)});
  CHECK(counter(counter::mul) == 39'134);
  CHECK(counter(counter::cmds) == 2);
  CHECK(counter(counter::errors) == 1);
  CHECK(counter(counter::busy) >= product.cycles);
  CHECK(counter(counter::rd_beats) == 2);
  CHECK(counter(counter::wr_beats) == 1);
  CHECK(counter(counter::cycles) > product.cycles);

  device.enable(bit(ctrl::perf_freeze));
  const std::uint64_t frozen = counter(counter::cycles);
  device.run(kNop);
  CHECK(counter(counter::cycles) == frozen);
  CHECK(counter(counter::cmds) == 2);

  device.enable(bit(ctrl::perf_clear));
  CHECK(counter(counter::cmds) == 0);
}

// The RTL would simulate for days: its counters have a test of their own.
TEST_CASE("reading the low half of a counter keeps the high half") {
  RawDevice device(std::make_unique<ModelTransport>(test_memory()));
  device.transport().step(std::uint64_t{5} << 32);
  const std::uint32_t low = device.read(reg::perf);
  device.transport().step(std::uint64_t{1} << 33);
  CHECK(device.read(reg::perf + 4) == 5);
  CHECK(low < 1'000'000);
}

TEST_CASE("a power cycle forgets everything but memory") {
  RawDevice device = any_device();
  device.enable();
  device.put(device.base(), 9);
  device.write(reg::scratch, 1);
  device.run(kNop);
  device.give(kNop);
  device.transport().reset();
  CHECK(device.read(reg::scratch) == 0);
  CHECK(device.read(reg::ctrl) == 0);
  CHECK(device.read(reg::cmd_space) == parameter::queue_depth);
  CHECK_FALSE(device.status(device_status::cpl_available));
  CHECK(device.get(device.base()) == 9);
}

}  // namespace fhe::fpga::test
