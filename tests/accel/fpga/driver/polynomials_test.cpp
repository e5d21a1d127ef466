// SPDX-License-Identifier: Apache-2.0
// The command karat, of the model and of the simulated RTL: products against the definition, every
// status, and clocks of the RTL against those of the model.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "accel/fpga/devices/local_devices.hpp"
#include "accel/fpga/sim/sim_transport.hpp"
#include "accel/polynomials/hardware_clocks.hpp"
#include "accel/polynomials/hardware_format.hpp"
#include "tests/accel/fpga/driver/raw_device.hpp"
#include "tests/accel/fpga/driver/transports.hpp"
#include "tests/accel/polynomials/schoolbook.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::fpga::test {

namespace {

using fhe::test::Operands;
using fhe::test::schoolbook;
using fhe::test::some_polynomial;
using karatsuba::NormalizedModulus;

constexpr std::uint32_t kBits = 64;
constexpr unsigned kLargestLog2Size = 7;

// Where a batch lies, in words.
constexpr std::uint64_t kA = 1000;
constexpr std::uint64_t kB = 3000;
constexpr std::uint64_t kProducts = 5000;
constexpr std::uint64_t kRecord = 10;

struct Batch {
  Integer modulus;
  unsigned log2_size;
  std::vector<PolynomialMultiplier::Operands> operands;

  [[nodiscard]] std::size_t size() const { return std::size_t{1} << log2_size; }
  [[nodiscard]] std::uint32_t bits() const {
    return static_cast<std::uint32_t>(operands.size() * size() * kBits);
  }
};

Batch some_batch(Operands& operands, unsigned log2_size, std::size_t count) {
  Batch batch{.modulus = operands.exactly(kBits), .log2_size = log2_size, .operands = {}};
  for (std::size_t i = 0; i < count; ++i) {
    batch.operands.push_back({some_polynomial(operands, batch.size(), batch.modulus),
                              some_polynomial(operands, batch.size(), batch.modulus)});
  }
  return batch;
}

// A device with 64-bit coefficients and operands of up to 128 of them.
class PolynomialDevice {
 public:
  explicit PolynomialDevice(std::unique_ptr<LocalTransport> transport)
      : device(std::move(transport)) {
    device.enable();
    put_record(power_of_two(kBits) - 59);
  }

  void put_record(const Integer& modulus) {
    const NormalizedModulus normalized(modulus, kBits);
    device.put(device.at(kRecord, 0).address, normalized.modulus());
    device.put(device.at(kRecord + 1, 0).address, normalized.barrett());
  }

  Command command(unsigned log2_size, std::uint32_t count) const {
    const std::uint32_t bits = count * kBits << log2_size;
    return multiply_polynomials(device.at(kProducts, 2 * bits), device.at(kA, bits),
                                device.at(kB, bits), device.at(kRecord, 0).address, log2_size,
                                count);
  }

  Command place(const Batch& batch) {
    put_record(batch.modulus);
    const std::size_t bytes = batch.size() * kBits / 8;
    std::vector<std::byte> beats(bytes);
    std::uint64_t words = 0;
    const auto put = [&](std::uint64_t at, const Polynomial& x) {
      karatsuba::to_beats(x, batch.size(), karatsuba::kOperandLanes, beats);
      device.transport().put(device.at(at + words, 0).address, beats);
    };
    for (const auto& [a, b] : batch.operands) {
      put(kA, a);
      put(kB, b);
      words += bytes / kWordBytes;
    }
    return command(batch.log2_size, static_cast<std::uint32_t>(batch.operands.size()));
  }

  void check_products(const Batch& batch) {
    const std::size_t bytes = 2 * batch.size() * kBits / 8;
    std::vector<std::byte> beats(bytes);
    for (std::size_t i = 0; i < batch.operands.size(); ++i) {
      device.transport().get(device.at(kProducts, 0).address + i * bytes, beats);
      Polynomial expected = schoolbook(batch.operands[i].a, batch.operands[i].b, batch.modulus);
      expected.emplace_back(0);
      INFO(batch.size() << " coefficients, product " << i << " of " << batch.operands.size());
      CHECK(karatsuba::from_beats(beats, batch.size(), karatsuba::kResultLanes) == expected);
    }
  }

  RawCompletion run(const Batch& batch) {
    const RawCompletion completion = device.run(place(batch));
    CHECK(completion.status == Status::ok);
    CHECK(completion.info == 0);
    check_products(batch);
    return completion;
  }

  RawDevice device;
};

class AnyPolynomialDevice : public PolynomialDevice {
 public:
  AnyPolynomialDevice() : PolynomialDevice(any_local_device("=karatsuba")) {}

  Status of(const Command& command) { return device.status_of(command); }
};

}  // namespace

TEST_CASE_METHOD(AnyPolynomialDevice, "a device says what polynomials it multiplies") {
  CHECK(has_bit(device.read(reg::features), feature::karat));
  CHECK_FALSE(has_bit(device.read(reg::features), feature::mul768));
  CHECK(device.read(reg::karat_param) == (kLargestLog2Size | kBits << 8));
  CHECK(device.read(reg::lhw_param) == 0);
  const DeviceInteger x = device.at(0, 64), z = device.at(9, 5000);
  CHECK(of(multiply(z, x, x)) == Status::bad_opcode);
  CHECK(of(sparse_multiply(z, x, x.address, 0)) == Status::bad_opcode);
  CHECK(of(reduce(0, z, x)) == Status::bad_opcode);
  CHECK(of(add(z, x, x)) == Status::ok);
}

TEST_CASE_METHOD(AnyPolynomialDevice, "batches of products of polynomials equal the definition") {
  Operands operands(61);
  for (unsigned log2_size = 3; log2_size <= kLargestLog2Size; ++log2_size) {
    for (const std::size_t count : {1U, 2U, 7U}) run(some_batch(operands, log2_size, count));
  }
}

TEST_CASE_METHOD(AnyPolynomialDevice, "status length: polynomials, to the bit") {
  for (unsigned log2_size = 0; log2_size < 16; ++log2_size) {
    const bool fits = log2_size >= 3 && log2_size <= kLargestLog2Size;
    CHECK((of(command(log2_size, 3)) == Status::ok) == fits);
    if (!fits) CHECK(of(command(log2_size, 1)) == Status::length);
  }
  CHECK(of(command(3, 0)) == Status::length);
  const Command good = command(4, 3);
  for (const std::int32_t more : {-512, -1, 1, 512}) {
    const auto longer = [more](std::uint32_t& bits) { bits += static_cast<std::uint32_t>(more); };
    Command bad = good;
    longer(bad.source0.bits);
    CHECK(of(bad) == Status::length);
    longer(bad.source1.bits);
    CHECK(of(bad) == Status::length);
    longer(bad.destination.bits);
    longer(bad.destination.bits);
    CHECK(of(bad) == Status::length);
    bad = good;
    longer(bad.source1.bits);
    CHECK(of(bad) == Status::length);
    bad = good;
    longer(bad.destination.bits);
    CHECK(of(bad) == Status::length);
  }
  for (const std::uint32_t count : {2U, 4U, 0x1000'0003U, 0x8000'0003U}) {
    Command bad = good;
    bad.aux2 = count;
    CHECK(of(bad) == Status::length);
  }
}

TEST_CASE_METHOD(AnyPolynomialDevice, "status bad_align, range, overlap: polynomials") {
  const Command good = command(3, 4);  // four words of operands, eight of products
  CHECK(of(good) == Status::ok);
  for (const std::uint64_t off : {8U, 32U}) {
    Command bad = good;
    bad.parameter += off;
    CHECK(of(bad) == Status::bad_align);
    bad.source1.address += off;
    bad.source0.address += off;
    bad.destination.address += off;
    CHECK(of(bad) == Status::bad_align);
  }
  const auto with = [&](auto change) {
    Command changed = good;
    change(changed);
    return of(changed);
  };
  const auto from_end = [&](std::uint64_t words) { return device.end() - words * kWordBytes; };
  CHECK(with([&](Command& c) { c.source0.address = from_end(4); }) == Status::ok);
  CHECK(with([&](Command& c) { c.source0.address = from_end(3); }) == Status::range);
  CHECK(with([&](Command& c) { c.source1.address = from_end(3); }) == Status::range);
  CHECK(with([&](Command& c) { c.destination.address = from_end(8); }) == Status::ok);
  CHECK(with([&](Command& c) { c.destination.address = from_end(7); }) == Status::range);
  CHECK(with([&](Command& c) { c.parameter = from_end(1); }) == Status::range);
  const auto at = [&](std::uint64_t words) { return device.at(words, 0).address; };
  CHECK(with([&](Command& c) { c.source0.address = at(kProducts); }) == Status::overlap);
  CHECK(with([&](Command& c) { c.source0.address = at(kProducts + 7); }) == Status::overlap);
  CHECK(with([&](Command& c) { c.source0.address = at(kProducts + 8); }) == Status::ok);
  CHECK(with([&](Command& c) { c.source1.address = at(kProducts - 3); }) == Status::overlap);
  CHECK(with([&](Command& c) { c.source1.address = at(kProducts - 4); }) == Status::ok);
  put_record(Integer(3) << 62);
  CHECK(with([&](Command& c) { c.destination.address = at(kRecord + 1); }) == Status::overlap);
  CHECK(with([&](Command& c) { c.source1 = c.source0; }) == Status::ok);
}

TEST_CASE_METHOD(AnyPolynomialDevice, "a modulus of too few bits, and ones above it, are found") {
  const Command good = command(3, 2);
  const DeviceInteger modulus = device.at(kRecord, 0), constant = device.at(kRecord + 1, 0);
  const Integer q = power_of_two(kBits) - 59;
  device.put(modulus.address, q >> 1);
  CHECK(of(good) == Status::length);
  device.put(modulus.address, 0);
  CHECK(of(good) == Status::length);
  device.put(modulus.address, q);
  CHECK(of(good.with(flag::check_pad)) == Status::ok);
  for (const std::size_t place : {64U, 100U, 511U}) {
    device.put(modulus.address, q + power_of_two(place));
    CHECK(of(good) == Status::ok);
    CHECK(of(good.with(flag::check_pad)) == Status::pad_not_zero);
    device.put(modulus.address, q);
    device.put(constant.address, power_of_two(place));
    CHECK(of(good.with(flag::check_pad)) == Status::pad_not_zero);
    device.put(constant.address, 0);
  }
  Operands operands(62);
  run(some_batch(operands, 5, 2));
}

TEST_CASE_METHOD(AnyPolynomialDevice, "products of polynomials are stopped in every phase") {
  Operands operands(63);
  const Batch batch = some_batch(operands, 4, 6);
  for (std::uint32_t clocks = 5; clocks < 160; clocks += 7) {
    device.write(reg::watchdog, clocks);
    CHECK(of(place(batch)) == Status::watchdog);
  }
  device.write(reg::watchdog, 0);
  run(some_batch(operands, 4, 2));
  for (std::uint64_t clocks = 1; clocks < 300; clocks += 37) {
    device.give(place(batch));
    device.transport().step(clocks);
    device.soft_reset();
    static_cast<void>(device.take());
    device.enable();
    run(some_batch(operands, 3, 3));
  }
}

#ifdef FHE_HARDWARE
TEST_CASE("products of polynomials with a memory that stalls, is slow or fails") {
  Operands operands(65);
  for (const unsigned latency : {1U, 7U, 150U}) {
    PolynomialDevice rtl(make_karatsuba_sim_transport(
        test_memory(), {.latency_clocks = latency, .stall_percent = 40, .seed = latency}));
    for (unsigned log2_size = 3; log2_size <= kLargestLog2Size; ++log2_size)
      rtl.run(some_batch(operands, log2_size, 5));
  }
  for (const std::uint64_t word : {kRecord, kRecord + 1, kA + 9, kB, kProducts + 19}) {
    const std::uint64_t address = test_memory().base() + word * kWordBytes;
    PolynomialDevice rtl(make_karatsuba_sim_transport(test_memory(), {.failing_address = address}));
    CHECK(rtl.device.status_of(rtl.place(some_batch(operands, 3, 10))) == Status::bus_error);
    // Of a write that failed, the destination's.
    const std::uint64_t told = word < kProducts ? address : rtl.device.at(kProducts, 0).address;
    CHECK(rtl.device.read(reg::err_addr_lo) == low_half(told));
    Command elsewhere = rtl.command(3, 4);
    elsewhere.parameter = rtl.device.at(20, 0).address;
    rtl.device.put(elsewhere.parameter, power_of_two(kBits) - 1);
    for (DeviceInteger* const operand :
         {&elsewhere.source0, &elsewhere.source1, &elsewhere.destination})
      operand->address += 100 * kWordBytes;
    CHECK(rtl.device.status_of(elsewhere) == Status::ok);
  }
}

TEST_CASE("the clocks of products of polynomials are those of the model") {
  PolynomialDevice rtl(open_local_transport("sim=karatsuba", test_memory()));
  PolynomialDevice model(open_local_transport("model=karatsuba", test_memory()));
  Operands operands(64);
  for (unsigned log2_size = 3; log2_size <= kLargestLog2Size; ++log2_size) {
    std::uint32_t alone = 0;
    for (const std::uint32_t count : {1U, 2U, 11U}) {
      const Batch batch = some_batch(operands, log2_size, count);
      const std::uint32_t clocks = rtl.run(batch).cycles;
      CAPTURE(log2_size, count);
      CHECK(clocks == model.run(batch).cycles);
      if (count == 1) alone = clocks;
      CHECK(clocks == alone + (count - 1) * karatsuba::clocks_between_products(batch.size()));
    }
  }
}
#endif

}  // namespace fhe::fpga::test
