// SPDX-License-Identifier: Apache-2.0
// Every status that a command can end with, one by one, and the order of the checks, of the model
// and of the simulated RTL.
#include "accel/fpga/model/model_transport.hpp"
#include "tests/accel/fpga/driver/raw_device.hpp"
#include "tests/accel/fpga/driver/transports.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::fpga::test {

namespace {

// Each device of this process in turn, with a context for a modulus of 1000 bits in context 0.
class Statuses {
 public:
  static constexpr std::uint64_t kModulusAt = 1000;  // words from the beginning of memory
  static constexpr std::uint64_t kReciprocalAt = 1010;
  static constexpr std::uint64_t kScratchAt = 1020;
  static constexpr std::uint64_t kRecordAt = 1100;

  Statuses() {
    device.enable();
    const Integer modulus = power_of_two(999) + 12345;
    const BarrettShape shape = barrett_shape(1000, 500);
    context = {.shape = shape,
               .modulus = device.at(kModulusAt, 0).address,
               .reciprocal = device.at(kReciprocalAt, 0).address,
               .scratch = device.at(kScratchAt, 0).address,
               .scratch_words = static_cast<std::uint32_t>(shape.scratch_words())};
    device.put(context.modulus, modulus, shape.modulus_words());
    device.put(context.reciprocal, barrett_reciprocal(shape, modulus), shape.reciprocal_words());
    CHECK(set(context) == Status::ok);
  }

  Status set(const Context& record, std::uint16_t number = 0) {
    device.put_record(device.at(kRecordAt, 0).address, record);
    return device.status_of({.opcode = Opcode::set_ctx,
                             .context = number,
                             .parameter = device.at(kRecordAt, 0).address});
  }

  Status of(const Command& command) { return device.status_of(command); }

  // An operand that is all right but for its address.
  DeviceInteger moved(DeviceInteger operand, std::int64_t bytes) const {
    operand.address += static_cast<std::uint64_t>(bytes);
    return operand;
  }

  RawDevice device{any_local_device()};
  Context context;
};

}  // namespace

TEST_CASE_METHOD(Statuses, "status bad_opcode: every number that is no opcode") {
  for (std::uint32_t number = 0; number < 256; ++number) {
    const auto opcode = static_cast<Opcode>(number);
    const bool known = name(opcode) != "unknown" && opcode != Opcode::nested_sum &&
                       opcode != Opcode::karat && opcode != Opcode::weighted;
    CAPTURE(number);
    CHECK((of({.opcode = opcode}) == Status::bad_opcode) == !known);
  }
}

TEST_CASE_METHOD(Statuses, "status crc: every damaged bit of a descriptor is found") {
  const DescriptorWords good =
      encode(add(device.at(0, 100), device.at(1, 90), device.at(2, 80)).with(flag::crc));
  device.give(good);
  CHECK(device.take().status == Status::ok);
  for (std::uint32_t position = 0; position < 512; ++position) {
    DescriptorWords bad = good;
    bad.at(position / 32) ^= bit(position % 32);
    device.give(bad);
    const Status status = device.take().status;
    CAPTURE(position);
    // The flag itself is one of the bits: without it nothing is looked at.
    if (position != 8 + flag::crc) CHECK(status == Status::crc);
  }
}

TEST_CASE_METHOD(Statuses, "status bad_align: each address that is used, and no other") {
  const DeviceInteger x = device.at(0, 100), y = device.at(1, 100), z = device.at(2, 1000);
  CHECK(of(add(z, x, y)) == Status::ok);
  for (const std::int64_t off : {1, 8, 32, 63}) {
    CHECK(of(add(moved(z, off), x, y)) == Status::bad_align);
    CHECK(of(add(z, moved(x, off), y)) == Status::bad_align);
    CHECK(of(add(z, x, moved(y, off))) == Status::bad_align);
    CHECK(of(square(z, moved(x, off))) == Status::bad_align);
    CHECK(of(affine(z, x, y.address + 8)) == Status::bad_align);
    CHECK(of(sparse_multiply({z.address, 5000}, x, y.address + 8, 1)) == Status::bad_align);
    CHECK(of({.opcode = Opcode::set_ctx, .parameter = x.address + 8}) == Status::bad_align);
  }
  CHECK(of(add(z, {3, 0}, y)) == Status::ok);  // a length of 0 has no address
  CHECK(of(sparse_multiply({z.address, 5000}, x, 3, 0)) == Status::ok);
  CHECK(of(multiply({3, 0}, {5, 0}, {7, 0})) == Status::ok);
  Command unused = copy(z, x);
  unused.source1.address = 3;
  unused.parameter = 3;
  CHECK(of(unused) == Status::ok);
}

TEST_CASE_METHOD(Statuses, "status range: operands lie inside the memory") {
  const DeviceInteger x = device.at(0, 100), z = device.at(2, 512);
  const DeviceInteger last{device.end() - kWordBytes, 512};
  CHECK(of(copy(z, last)) == Status::ok);
  CHECK(of(copy(last, x)) == Status::ok);
  CHECK(of(copy({z.address, 600}, {last.address, 513})) == Status::range);
  CHECK(of(copy({last.address, 513}, x)) == Status::range);
  CHECK(of(copy(z, {device.base() - kWordBytes, 512})) == Status::range);
  CHECK(of(copy({device.base() - kWordBytes, 1024}, x)) == Status::range);
  CHECK(of(copy(z, {0, 512})) == Status::range);
  CHECK(of(copy(z, {~std::uint64_t{63}, 512})) == Status::range);
  CHECK(of(copy({z.address, 0xffff'ffff}, x)) == Status::range);
  CHECK(of({.opcode = Opcode::set_ctx, .parameter = device.end()}) == Status::range);
}

TEST_CASE_METHOD(Statuses, "status length: what the table requires, to the bit") {
  const DeviceInteger x = device.at(0, 100), y = device.at(1, 90);
  const auto z = [this](std::uint32_t bits) { return device.at(2, bits); };
  CHECK(of(multiply(z(190), x, y)) == Status::ok);
  CHECK(of(multiply(z(189), x, y)) == Status::length);
  CHECK(of(square(z(200), x)) == Status::ok);
  CHECK(of(square(z(199), x)) == Status::length);
  CHECK(of(sparse_multiply(z(4196), x, y.address, 1)) == Status::ok);
  CHECK(of(sparse_multiply(z(4195), x, y.address, 1)) == Status::length);
  CHECK(of(sparse_multiply(z(4196), x, y.address, 16)) == Status::length);
  for (const auto make : {add, subtract, subtract_if_not_less}) {
    CHECK(of(make(z(100), x, y)) == Status::ok);
    CHECK(of(make(z(99), x, y)) == Status::length);
    CHECK(of(make(z(99), y, x)) == Status::length);
  }
  CHECK(of(affine(z(100), x, y.address)) == Status::ok);
  CHECK(of(affine(z(99), x, y.address)) == Status::length);
  CHECK(of(copy(z(100), x)) == Status::ok);
  CHECK(of(copy(z(99), x)) == Status::length);
  CHECK(of(reduce(0, z(1000), device.at(10, 1500))) == Status::ok);
  CHECK(of(reduce(0, z(999), device.at(10, 1500))) == Status::length);
  CHECK(of(reduce(0, z(1000), device.at(10, 1501))) == Status::length);
  // Sums of lengths do not wrap around 2^32.
  CHECK(of(multiply(z(100), {device.base() + 4096, 0x0fff'ffff}, {0, 0})) == Status::length);
}

TEST_CASE_METHOD(Statuses, "status length: an index beyond the last") {
  const DeviceInteger x = device.at(0, 100), z = device.at(2, 4196);
  device.put(device.at(1, 0).address, Integer(0x0fff) + (Integer(0x1000) << 16));
  CHECK(of(sparse_multiply(z, x, device.at(1, 0).address, 1)) == Status::ok);
  CHECK(of(sparse_multiply(z, x, device.at(1, 0).address, 2)) == Status::length);
}

TEST_CASE_METHOD(Statuses, "status length: contexts that Barrett's method does not allow") {
  const auto with = [this](auto change) {
    Context changed = context;
    change(changed);
    return set(changed);
  };
  CHECK(with([](Context& c) { c.shape.shift_low += 1; }) == Status::length);
  CHECK(with([](Context& c) { c.shape.shift_high += 64; }) == Status::length);
  CHECK(with([](Context& c) { c.shape.shift_low = 1024; }) == Status::length);   // beta > -2
  CHECK(with([](Context& c) { c.shape.shift_high -= 512; }) == Status::length);  // alpha <= gamma
  CHECK(with([](Context& c) { --c.scratch_words; }) == Status::length);
  CHECK(with([](Context& c) { c.shape.phi = 0; }) == Status::length);
  CHECK(with([](Context& c) { c.modulus += 8; }) == Status::bad_align);
  CHECK(with([](Context& c) { c.reciprocal += 8; }) == Status::bad_align);
  CHECK(with([](Context& c) { c.scratch += 8; }) == Status::bad_align);
  CHECK(with([](Context& c) { c.modulus = 0; }) == Status::range);
  CHECK(with([this](Context& c) { c.reciprocal = device.end() - kWordBytes; }) == Status::range);
  CHECK(with([this](Context& c) { c.scratch = device.end() - kWordBytes; }) == Status::range);
  CHECK(with([](Context& c) { c.scratch_words = 0xffff'ffff; }) == Status::ok);  // more than needed
  CHECK(of(reduce(0, device.at(2, 1000), device.at(10, 1500))) == Status::ok);  // still the old one
}

TEST_CASE_METHOD(Statuses, "status length: sums of encryptions") {
  ProductSum sum{.destination = device.at(100, 1616),
                 .list = device.at(10, 0).address,
                 .element_bits = 1000,
                 .weight_bits = 600};
  const auto status = [&] { return of(product_sum(sum)); };
  CHECK(status() == Status::ok);
  sum.destination.bits = 1615;
  CHECK(status() == Status::length);
  sum.reduce = true;
  sum.destination.bits = 1000;
  CHECK(status() == Status::ok);
  sum.destination.bits = 999;
  CHECK(status() == Status::length);
  sum.destination.bits = 2000;
  sum.element_bits = 1500;  // phi + gamma of the context
  CHECK(status() == Status::ok);
  sum.element_bits = 1501;
  CHECK(status() == Status::length);
}

TEST_CASE_METHOD(Statuses, "status overlap: the destination lies apart, or begins with a source") {
  const DeviceInteger x = device.at(10, 1024), y = device.at(20, 1024);
  for (const std::uint64_t place : {8U, 9U, 10U, 11U, 12U}) {
    const bool apart = place == 8 || place == 12;
    CAPTURE(place);
    CHECK((of(copy(device.at(place, 1024), x)) == Status::ok) == apart);
    CHECK((of(multiply(device.at(place, 2048), {x.address, 1024}, y)) == Status::overlap) ==
          (place != 12));
    CHECK((of(add(device.at(place, 1024), x, y)) == Status::ok) == (apart || place == 10));
    CHECK((of(add(device.at(place, 1024), y, x)) == Status::ok) == (apart || place == 10));
    CHECK((of(reduce(0, device.at(place, 1000), x)) == Status::ok) == (apart || place == 10));
    CHECK((of(affine(device.at(place, 1024), x, y.address)) == Status::ok) ==
          (apart || place == 10));
  }
  CHECK(of(affine(y, x, y.address)) == Status::overlap);  // T is no integer to begin with
  CHECK(of(sparse_multiply(device.at(20, 5120), x, y.address, 1)) == Status::overlap);
  CHECK(of(add(device.at(30, 1024), x, x)) == Status::ok);  // sources may meet
  CHECK(of(add(device.at(30, 1100), x, device.at(11, 1024))) == Status::ok);
  ProductSum sum{.destination = device.at(50, 2000), .list = device.at(51, 0).address};
  sum.terms = 1;
  sum.element_bits = sum.weight_bits = 100;
  CHECK(of(product_sum(sum)) == Status::overlap);
}

TEST_CASE_METHOD(Statuses, "status bad_opcode: engines that the device does not have") {
  const Equipment& standard = kStandardEquipment;
  const DeviceInteger x = device.at(0, 100), z = device.at(2, 200);
  for (unsigned number = 0; number < 8; ++number) {
    const auto engine = static_cast<Engine>(number);
    const Status expected = standard.has(engine) ? Status::ok : Status::bad_opcode;
    CAPTURE(number);
    CHECK(of(by(engine, multiply(z, x, x))) == expected);
    CHECK(of(by(engine, square(z, x))) == expected);
    const ProductSum sum{.destination = z,
                         .list = device.at(10, 0).address,
                         .element_bits = 100,
                         .weight_bits = 50,
                         .engine = engine};
    CHECK(of(product_sum(sum)) == expected);
  }
}

TEST_CASE_METHOD(Statuses, "status no_ctx: contexts that are not there or not set") {
  const DeviceInteger x = device.at(0, 100), z = device.at(2, 1000);
  CHECK(of(reduce(0, z, x)) == Status::ok);
  CHECK(of(reduce(1, z, x)) == Status::no_ctx);
  CHECK(of(reduce(4, z, x)) == Status::no_ctx);
  CHECK(of(reduce(0xffff, z, x)) == Status::no_ctx);
  CHECK(set(context, 4) == Status::no_ctx);
  CHECK(set(context, 3) == Status::ok);
  CHECK(of(reduce(3, z, x)) == Status::ok);
  device.soft_reset(bit(ctrl::enable));
  CHECK(of(reduce(0, z, x)) == Status::no_ctx);
}

TEST_CASE_METHOD(Statuses, "status pad_not_zero: only where it is asked for") {
  const DeviceInteger x = device.at(0, 100), y = device.at(1, 100), z = device.at(2, 700);
  device.put(x.address, power_of_two(100));
  device.put(y.address, 5);
  CHECK(of(add(z, x, y)) == Status::ok);
  CHECK(device.get(z.address) == power_of_two(100) + 5);  // the pad takes part
  CHECK(of(add(z, x, y).with(flag::check_pad)) == Status::pad_not_zero);
  CHECK(of(add(z, y, x).with(flag::check_pad)) == Status::pad_not_zero);
  CHECK(of(square(z, x).with(flag::check_pad)) == Status::pad_not_zero);
  CHECK(of(copy(z, {x.address, 101}).with(flag::check_pad)) == Status::ok);
  CHECK(of(add(z, y, y).with(flag::check_pad)) == Status::ok);
}

// The RTL's bus errors are tested with its simulated memory.
TEST_CASE("status bus_error: with the address, and once per broken answer") {
  auto made = std::make_unique<ModelTransport>(test_memory());
  ModelTransport* const model = made.get();
  RawDevice device(std::move(made));
  device.enable();
  const auto of = [&](const Command& command) { return device.status_of(command); };
  const DeviceInteger x = device.at(0, 2000), z = device.at(10, 2000);
  const std::uint64_t broken = x.address + 2 * kWordBytes;
  model->break_word(broken, 2);
  CHECK(of(copy(z, x)) == Status::bus_error);
  CHECK(device.error_code() == Status::bus_error);
  CHECK(join_halves(device.read(reg::err_addr_lo), device.read(reg::err_addr_hi)) == broken);
  CHECK(of(copy(x, z)) == Status::bus_error);  // writing too
  CHECK(of(copy(z, x)) == Status::ok);
}

TEST_CASE_METHOD(Statuses, "addresses in a list are checked as they are read") {
  ProductSum sum{.destination = device.at(100, 2000),
                 .list = device.at(10, 0).address,
                 .terms = 1,
                 .element_bits = 100,
                 .weight_bits = 100};
  const auto with_list = [&](std::uint64_t element, std::uint64_t weight) {
    device.put(sum.list, Integer(element) + (Integer(weight) << 64));
    return of(product_sum(sum));
  };
  const std::uint64_t good = device.at(20, 0).address;
  CHECK(with_list(good, good) == Status::ok);
  CHECK(with_list(good + 8, good) == Status::bad_align);
  CHECK(with_list(good, good + 8) == Status::bad_align);
  CHECK(with_list(0, good) == Status::range);
  CHECK(with_list(good, device.end()) == Status::range);
}

TEST_CASE_METHOD(Statuses, "the first check that fails is the status") {
  // Wrong in every way, then less and less so.
  Command command = reduce(9, {device.base() + 1, 1}, {device.end() + 1, 5000});
  command.opcode = static_cast<Opcode>(0xee);
  DescriptorWords words = encode(command.with(flag::crc));
  words[descriptor::crc] ^= 1;
  device.give(words);
  CHECK(device.take().status == Status::crc);
  CHECK(of(command) == Status::bad_opcode);
  command.opcode = Opcode::modred;
  CHECK(of(command) == Status::no_ctx);
  command.context = 0;
  CHECK(of(command) == Status::length);
  command.destination.bits = 1000;
  command.source0.bits = 1500;
  CHECK(of(command) == Status::bad_align);
  command.destination.address = device.end();
  CHECK(of(command) == Status::range);
  command.destination.address = device.base();
  CHECK(of(command) == Status::bad_align);
  command.source0.address = device.end();
  CHECK(of(command) == Status::range);
  command.source0.address = device.base() + 64;
  CHECK(of(command) == Status::overlap);
  command = multiply(device.at(0, 100), device.at(0, 60), device.at(5, 60));
  CHECK(of(command) == Status::length);
  command.destination.bits = 120;
  CHECK(of(command) == Status::overlap);
}

}  // namespace fhe::fpga::test
