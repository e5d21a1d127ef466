// SPDX-License-Identifier: Apache-2.0
// Opening a device, its queue, its contexts, and what happens when commands fail.
#include "accel/fpga/driver/device.hpp"

#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "accel/fpga/contract/register_values.hpp"
#include "accel/fpga/model/model_transport.hpp"
#include "tests/accel/fpga/driver/has_status.hpp"
#include "tests/accel/fpga/driver/operands_on_device.hpp"
#include "tests/accel/fpga/driver/transports.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/operands.hpp"

namespace fhe::fpga::test {

namespace {

using fhe::test::HasCode;
using fhe::test::Operands;
using std::chrono::milliseconds;

// A model that tests change on the way.
class OddDevice : public Transport {
 public:
  std::string description() const override { return "odd device"; }
  std::uint32_t read_register(std::uint32_t offset) override {
    return model_.read_register(offset);
  }
  void write_register(std::uint32_t offset, std::uint32_t value) override {
    model_.write_register(offset, value);
  }
  void put(std::uint64_t address, std::span<const std::byte> bytes) override {
    model_.put(address, bytes);
  }
  void get(std::uint64_t address, std::span<std::byte> bytes) override {
    model_.get(address, bytes);
  }
  Interrupt wait_interrupt(milliseconds timeout) override { return model_.wait_interrupt(timeout); }

 private:
  ModelTransport model_{test_memory()};
};

// One register reads as a test wants.
class OddRegister final : public OddDevice {
 public:
  OddRegister(std::uint32_t offset, std::function<std::uint32_t(std::uint32_t)> change)
      : offset_(offset), change_(std::move(change)) {}

  std::uint32_t read_register(std::uint32_t offset) override {
    const std::uint32_t value = OddDevice::read_register(offset);
    return offset == offset_ ? change_(value) : value;
  }

 private:
  std::uint32_t offset_;
  std::function<std::uint32_t(std::uint32_t)> change_;
};

// Commands do not begin before the driver has looked `patience` times whether memory is used; it
// is, as long as that lasts.
class SlowDevice final : public OddDevice {
 public:
  explicit SlowDevice(int patience) : patience_(patience) {}

  std::uint32_t read_register(std::uint32_t offset) override {
    if (offset != reg::perf + 8 * counter::rd_beats || patience_ == 0)
      return OddDevice::read_register(offset);
    if (--patience_ == 0) OddDevice::write_register(reg::ctrl, control_);
    return static_cast<std::uint32_t>(1000 + patience_);
  }
  void write_register(std::uint32_t offset, std::uint32_t value) override {
    if (offset == reg::ctrl) control_ = value;
    const bool starts = offset == reg::ctrl && has_bit(value, ctrl::enable) && patience_ != 0;
    OddDevice::write_register(offset, starts ? value & ~bit(ctrl::enable) : value);
  }

 private:
  int patience_;
  std::uint32_t control_ = 0;
};

// Commands never begin; a reset aborts them.
class StuckDevice final : public OddDevice {
 public:
  void write_register(std::uint32_t offset, std::uint32_t value) override {
    OddDevice::write_register(offset, offset == reg::ctrl ? value & ~bit(ctrl::enable) : value);
  }
};

void open_odd(std::uint32_t offset, std::function<std::uint32_t(std::uint32_t)> change) {
  const Device device(std::make_unique<OddRegister>(offset, std::move(change)),
                      {.deadline = milliseconds(20)});
}

// A device whose model a test can reach.
struct Reachable {
  explicit Reachable(const DeviceOptions& options = {})
      : made(std::make_unique<ModelTransport>(test_memory())),
        model(*made),
        device(std::move(made), options) {}

  std::unique_ptr<ModelTransport> made;
  ModelTransport& model;
  Device device;
};

}  // namespace

TEST_CASE("a device tells what it is") {
  Reachable reach;
  CHECK(reach.device.info().version == kVersion);
  CHECK(reach.device.info().has(feature::simulated));
  CHECK(reach.device.info().memory_bytes == std::uint64_t{64} << 20);
  CHECK(reach.device.info().description == "functional model with 64 MiB of memory");
}

TEST_CASE("equipment is sound when its engines have parameters that can be") {
  CHECK(kStandardEquipment.is_sound());
  CHECK(kSuperSizeEquipment.is_sound());
  CHECK(kSuperSize128Equipment.is_sound());
  const auto polynomials = [](std::uint32_t log2_size, std::uint32_t bits) {
    return Equipment{.features = bit(feature::karat), .karat_param = log2_size | bits << 8}
        .is_sound();
  };
  CHECK(kKaratsubaEquipment.is_sound());
  CHECK(polynomials(3, 64));
  CHECK(polynomials(15, 192));
  CHECK_FALSE(polynomials(2, 64));
  CHECK_FALSE(polynomials(16, 64));
  CHECK_FALSE(polynomials(32, 64));
  CHECK_FALSE(polynomials(7, 0));
  CHECK_FALSE(polynomials(7, 65));
  CHECK(kThroughputEquipment.is_sound());
  for (const std::uint32_t param : {0U, 16U, 11U | 24U << 8, 17U | 24U << 8, 16U | 28U << 8}) {
    CAPTURE(param);
    CHECK_FALSE(
        Equipment{.features = bit(feature::throughput), .throughput_param = param}.is_sound());
  }
  for (const std::uint32_t log2_points : {12U, 14U, 15U}) {
    const Equipment four_step{.features = bit(feature::throughput) | bit(feature::four_step),
                              .throughput_param = log2_points | 24U << 8};
    CHECK(four_step.is_sound() == (log2_points == 15));
  }
  for (std::uint32_t param = 0; param < 20; ++param) {
    CAPTURE(param);
    CHECK(Equipment{.features = bit(feature::elements), .elements_param = param}.is_sound() ==
          (param == 4 || param == 8));
  }
}

TEST_CASE("what is no device of this driver is refused, with advice") {
  CHECK_THROWS_MATCHES(open_odd(reg::magic, [](std::uint32_t) { return 0x1234'5678U; }), Error,
                       HasCode(ErrorCode::unsupported, "0x12345678"));
  CHECK_THROWS_MATCHES(open_odd(reg::version, [](std::uint32_t) { return 0x0300'0000U; }), Error,
                       HasCode(ErrorCode::unsupported, "version 3.0.0"));
  CHECK_NOTHROW(open_odd(reg::version, [](std::uint32_t) { return 0x0207'0003U; }));
  CHECK_THROWS_MATCHES(open_odd(reg::build_id, [](std::uint32_t id) { return id + 1; }), Error,
                       HasCode(ErrorCode::unsupported, "BUILD_ID"));
  CHECK_THROWS_MATCHES(open_odd(reg::limits, [](std::uint32_t limits) { return limits + 1; }),
                       Error, HasCode(ErrorCode::unsupported));
  CHECK_THROWS_MATCHES(
      open_odd(reg::features, [](std::uint32_t all) { return all & ~bit(feature::acc); }), Error,
      HasCode(ErrorCode::unsupported, "FEATURES"));
  CHECK_THROWS_MATCHES(open_odd(reg::lhw_param, [](std::uint32_t limits) { return limits + 1; }),
                       Error, HasCode(ErrorCode::unsupported, "LHW_PARAM"));
  CHECK_THROWS_MATCHES(open_odd(reg::elements_param, [](std::uint32_t words) { return 4 * words; }),
                       Error, HasCode(ErrorCode::unsupported, "ELEMENTS_PARAM"));
  for (const std::uint32_t unit : {feature::ssmul, feature::karat}) {  // without parameters
    CHECK_THROWS_MATCHES(
        open_odd(reg::features, [unit](std::uint32_t all) { return all | bit(unit); }), Error,
        HasCode(ErrorCode::unsupported, "parameters"));
  }
  CHECK_THROWS_MATCHES(open_odd(reg::scratch, [](std::uint32_t value) { return value | 8; }), Error,
                       HasCode(ErrorCode::io, "SCRATCH"));
  CHECK_THROWS_MATCHES(open_odd(reg::mem_size_lo, [](std::uint32_t) { return 100U; }), Error,
                       HasCode(ErrorCode::unsupported, "memory"));
  CHECK_THROWS_AS(open_odd(reg::magic, [](std::uint32_t) { return ~0U; }), DeviceLost);
  CHECK_THROWS_AS(open_odd(reg::ctrl, [](std::uint32_t) { return bit(ctrl::soft_reset); }),
                  DeviceLost);
}

TEST_CASE("opening a device ends what another driver left in it") {
  auto model = std::make_unique<ModelTransport>(test_memory());
  model->write_register(reg::ctrl, bit(ctrl::enable));
  for (std::uint32_t sequence = 0; sequence < 5; ++sequence)
    model->write_register(reg::cmd_doorbell, sequence);
  model->step(100);
  Device device(std::move(model));
  const DeviceBuffer buffer = device.store(7, 512);
  CHECK(device.run(clear({buffer.address(), 512})).status == Status::ok);
  CHECK(device.load(buffer, 512) == 0);
}

TEST_CASE("integers go to device memory and back, checked") {
  Reachable reach;
  Device& device = reach.device;
  Operands operands(3);
  for (const std::uint32_t bits : {1U, 63U, 511U, 512U, 513U, 100'000U}) {
    const Integer x = operands.exactly(bits);
    const DeviceBuffer buffer = device.store(x, bits);
    CHECK(device.load(buffer, bits) == x);
    CHECK(contents(device, buffer) == x);
    CHECK_THROWS_MATCHES(device.store(buffer, x, bits - 1), Error,
                         HasCode(ErrorCode::invalid_argument));
  }
  const DeviceBuffer word = device.allocate(64);
  CHECK_THROWS_MATCHES(device.store(word, -1, 512), Error, HasCode(ErrorCode::invalid_argument));
  CHECK_THROWS_MATCHES(device.store(word, 1, 513), Error, HasCode(ErrorCode::invalid_argument));
  CHECK_THROWS_MATCHES(device.load(word, 513), Error, HasCode(ErrorCode::invalid_argument));
  std::array<std::byte, 64> bytes{};
  const std::uint64_t end = device.info().memory_base + device.info().memory_bytes;
  for (const std::uint64_t address :
       {word.address() + 8, end, end - 32, device.info().memory_base - 64, std::uint64_t{0}}) {
    CHECK_THROWS_MATCHES(device.put(address, bytes), Error, HasCode(ErrorCode::invalid_argument));
    CHECK_THROWS_MATCHES(device.get(address, bytes), Error, HasCode(ErrorCode::invalid_argument));
  }
}

TEST_CASE("bytes of a piece of a word are padded with zeros") {
  Reachable reach;
  Device& device = reach.device;
  const DeviceBuffer buffer = device.store(fhe::test::all_ones(1024), 1024);
  const std::vector<std::byte> bytes(70, std::byte{0x11});
  device.put(buffer.address(), bytes);
  CHECK(bit_length(device.load(buffer, 1024)) == 70 * 8 - 3);
  std::vector<std::byte> back(70);
  device.get(buffer.address(), back);
  CHECK(back == bytes);
}

TEST_CASE("many commands are under way at once, and end in order") {
  Reachable reach;
  Device& device = reach.device;
  const Placed one = place(device, 1, 512);
  const Placed sum = place(device, 0, 512);
  std::vector<Ticket> tickets;
  for (int i = 0; i < 100; ++i)
    tickets.push_back(device.submit(add(sum.where(), sum.where(), one.where())));
  for (auto ticket = tickets.rbegin(); ticket != tickets.rend(); ++ticket)
    CHECK(device.wait(*ticket).cycles > 0);
  CHECK(device.load(sum.buffer, 512) == 100);
  CHECK(device.statistics().at(Opcode::acc).commands == 100);
  CHECK(device.statistics().at(Opcode::acc).clocks ==
        100 * std::uint64_t{device.wait(tickets[0]).cycles});
  CHECK(device.counter(counter::cmds) == 100);
  CHECK_THROWS_MATCHES(device.wait(Ticket()), Error, HasCode(ErrorCode::invalid_argument));
}

TEST_CASE("several threads use one device") {
  Reachable reach;
  Device& device = reach.device;
  std::array<bool, 4> right{};
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < right.size(); ++i) {
      threads.emplace_back([&, i] {
        Operands operands(i);
        right[i] = true;
        for (int round = 0; round < 30; ++round) {
          const Placed x = place(device, operands.bits(3000), 3000);
          const Placed y = place(device, operands.bits(2000), 2000);
          const Placed z = room(device, 5000);
          const Ticket product = device.submit(multiply(z.where(), x.where(), y.where()));
          const Ticket doubled = device.submit(add(z.where(), z.where(), z.where()));
          device.wait(doubled);
          device.wait(product);
          right[i] =
              right[i] && device.load(z.buffer, 5000) == low_bits(2 * x.value * y.value, 5000);
        }
      });
    }
  }
  CHECK(right == std::array{true, true, true, true});
}

TEST_CASE("a wrong command fails with its status, and those behind it are not run") {
  Reachable reach;
  Device& device = reach.device;
  const Placed x = place(device, 5, 512);
  const Placed z = place(device, 9, 512);
  const Ticket good = device.submit(copy(z.where(), x.where()));
  const Ticket wrong = device.submit(copy({z.where().address, 100}, x.where()));
  const Ticket behind = device.submit(clear(z.where()));
  CHECK(device.wait(good).status == Status::ok);
  try {
    device.wait(wrong);
    FAIL("a command that is too long ended well");
  } catch (const CommandFailed& failure) {
    CHECK(failure.completion().status == Status::length);
    CHECK(failure.code() == ErrorCode::invalid_argument);
    const std::string text = failure.what();
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring("copy"));
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring("the device's first error: length, tag 2"));
  }
  try {
    device.wait(behind);
    FAIL("a command ran behind one that failed");
  } catch (const CommandFailed& failure) {
    CHECK(failure.completion().status == Status::aborted);
    CHECK(failure.code() == ErrorCode::io);
  }
  CHECK(device.load(z.buffer, 512) == 5);
  // Any number of times, without the device being given up.
  for (int i = 0; i < 50; ++i)
    CHECK_THROWS_AS(device.run(copy({z.where().address, 100}, x.where())), CommandFailed);
  CHECK(device.run(clear(z.where())).status == Status::ok);
}

TEST_CASE("contexts are there again after a reset") {
  Reachable reach;
  Device& device = reach.device;
  Operands operands(8);
  std::vector<PlacedContext> contexts;
  for (std::uint16_t number = 0; number < parameter::contexts; ++number) {
    contexts.push_back(place_context(device, operands.exactly(900 + number), 300));
    device.set_context(number, contexts.back().context);
  }
  const Placed x = place(device, operands.bits(1200), 1200);
  const auto check_all = [&] {
    for (std::uint16_t number = 0; number < parameter::contexts; ++number) {
      const Placed z = room(device, 903);
      device.run(reduce(number, z.where(), x.where()));
      CHECK(device.load(z.buffer, 903) == x.value % contexts[number].modulus.value);
    }
  };
  check_all();
  device.reset();
  check_all();
  contexts[2] = place_context(device, operands.exactly(902), 300);
  device.set_context(2, contexts[2].context);
  CHECK_THROWS_AS(device.run({.opcode = static_cast<Opcode>(0xee)}), CommandFailed);
  check_all();

  Context bad = contexts[1].context;
  bad.scratch_words = 1;
  CHECK_THROWS_AS(device.set_context(1, bad), CommandFailed);
  check_all();  // the old one is kept
  CHECK_THROWS_MATCHES(device.set_context(4, contexts[0].context), Error,
                       HasCode(ErrorCode::invalid_argument));
}

TEST_CASE("a reset by hand fails what is under way and leaves memory as it is") {
  Reachable reach;
  Device& device = reach.device;
  const Placed x = place(device, 5, 512);
  const Placed z = room(device, 1024);
  const Ticket ticket = device.submit(multiply(z.where(), x.where(), x.where()));
  device.reset();
  CHECK_THROWS_AS(device.wait(ticket), CommandFailed);
  CHECK(device.load(x.buffer, 512) == 5);
  device.run(multiply(z.where(), x.where(), x.where()));
  CHECK(device.load(z.buffer, 1024) == 25);
}

TEST_CASE("a passing bus error is met by repeating, where that is harmless") {
  Reachable reach;
  Device& device = reach.device;
  const Placed x = place(device, 5, 512);
  const Placed z = place(device, 1, 1024);
  reach.model.break_word(x.where().address, 2);
  const Ticket product = device.submit(multiply(z.where(), x.where(), x.where()));
  const Ticket next = device.submit(add(z.where(), z.where(), x.where()));  // not begun: may run
  CHECK(device.wait(product).status == Status::ok);
  CHECK(device.wait(next).status == Status::ok);
  CHECK(device.load(z.buffer, 1024) == 30);

  reach.model.break_word(x.where().address, 3);  // once more than it is repeated
  CHECK_THROWS_MATCHES(device.run(multiply(z.where(), x.where(), x.where())), CommandFailed,
                       HasStatus(Status::bus_error));
  CHECK(device.run(multiply(z.where(), x.where(), x.where())).status == Status::ok);

  reach.model.break_word(x.where().address, 1);
  CHECK_THROWS_MATCHES(device.run(multiply_add(z.where(), x.where(), x.where())), CommandFailed,
                       HasStatus(Status::bus_error));
  CHECK(device.load(z.buffer, 1024) == 25);
}

TEST_CASE("the number of repeats is the user's") {
  Reachable reach({.repeats = 0});
  const Placed x = place(reach.device, 5, 512);
  const Placed z = room(reach.device, 1024);
  reach.model.break_word(x.where().address, 1);
  CHECK_THROWS_MATCHES(reach.device.run(multiply(z.where(), x.where(), x.where())), CommandFailed,
                       HasStatus(Status::bus_error));
}

TEST_CASE("the watchdog is the user's") {
  Reachable reach({.watchdog_clocks = 10'000});
  const Placed x = place(reach.device, 5, 512);
  const Placed z = room(reach.device, 1024);
  CHECK_THROWS_MATCHES(
      reach.device.run(by(Engine::mul768, multiply(z.where(), x.where(), x.where()))),
      CommandFailed, HasStatus(Status::watchdog));
  CHECK(reach.device.run(add(z.where(), x.where(), x.where())).status == Status::ok);
}

TEST_CASE("a device that does nothing is reset, and its command fails in the end") {
  Device device(std::make_unique<StuckDevice>(), {.deadline = milliseconds(5)});
  const Placed z = place(device, 9, 512);
  const Ticket first = device.submit(clear(z.where()));
  const Ticket second = device.submit(clear(z.where()));
  try {
    device.wait(first);
    FAIL("a command that never began has ended well");
  } catch (const CommandFailed& failure) {
    CHECK(failure.completion().status == Status::aborted);
    const std::string text = failure.what();
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring("did nothing for 5 ms"));
  }
  CHECK_THROWS_MATCHES(device.wait(second), CommandFailed, HasStatus(Status::aborted));
  CHECK(device.load(z.buffer, 512) == 9);
}

TEST_CASE("a device that hides its completions fails its commands, and does not hang") {
  Device device(std::make_unique<OddRegister>(reg::status, [](std::uint32_t) { return 0U; }),
                {.deadline = milliseconds(5)});
  for (int i = 0; i < 3; ++i)
    CHECK_THROWS_MATCHES(device.run({}), CommandFailed, HasStatus(Status::aborted));
}

TEST_CASE("a device that is slow, and works, is waited for") {
  Device device(std::make_unique<SlowDevice>(5), {.deadline = milliseconds(5), .repeats = 0});
  const Placed z = place(device, 9, 512);
  CHECK(device.run(clear(z.where())).status == Status::ok);
  CHECK(device.load(z.buffer, 512) == 0);
}

TEST_CASE("memory that commands still use is waited for, not given away") {
  Reachable reach;
  Device& device = reach.device;
  const std::uint64_t half = device.memory().largest_free() / 2 / kWordBytes * kWordBytes;
  DeviceBuffer large = device.allocate(half + kWordBytes);
  const Ticket ticket = device.submit(clear({large.address(), 512}));
  large = {};
  const DeviceBuffer again = device.allocate(half + kWordBytes);  // waits for the command
  CHECK(again.size() > half);
  CHECK(device.wait(ticket).status == Status::ok);
  CHECK_THROWS_AS(device.allocate(half + kWordBytes), OutOfDeviceMemory);
}

TEST_CASE("tickets and buffers may outlive their device") {
  DeviceBuffer buffer;
  Ticket ticket;
  {
    Reachable reach;
    buffer = reach.device.store(1, 512);
    ticket = reach.device.submit(clear({buffer.address(), 512}));
  }
  CHECK(buffer.size() == 64);
}

}  // namespace fhe::fpga::test
