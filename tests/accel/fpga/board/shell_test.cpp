// SPDX-License-Identifier: Apache-2.0
// The device on a simulated card: its registers behind BAR0, its memory by DMA, its interrupt, and
// its driver on all of them.
#include <chrono>
#include <memory>
#include <vector>

#include "accel/fpga/contract/register_values.hpp"
#include "accel/fpga/driver/device.hpp"
#include "tests/accel/fpga/board/card_transport.hpp"
#include "tests/accel/fpga/driver/device_suite.hpp"
#include "tests/accel/fpga/driver/operands_on_device.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::fpga::test {

namespace {

using std::chrono_literals::operator""s;
constexpr std::uint64_t kCardMemory = 0x4000'0000, kCardBytes = std::uint64_t{32} << 20;

std::vector<std::byte> random_bytes(std::mt19937_64& random, std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

}  // namespace

TEST_CASE("card: the device's registers are behind BAR0") {
  CardTransport card(std::make_shared<PcieHost>());
  CHECK(card.read_register(reg::magic) == kMagic);
  CHECK(card.read_register(reg::build_id) == kBuildId);
  CHECK(card.read_register(reg::mem_base_lo) == kCardMemory);
  CHECK(card.read_register(reg::mem_base_hi) == 0);
  CHECK(card.read_register(reg::mem_size_lo) == kCardBytes);
  for (const std::uint32_t value : {0x0123'4567U, 0xffff'ffffU, 0U, 0x8000'0001U}) {
    card.write_register(reg::scratch, value);
    CHECK(card.read_register(reg::scratch) == value);
  }
}

TEST_CASE("card: DMA puts and gets what it should, in memories at either end") {
  const auto [base, payload, request] = GENERATE(
      table<std::uint64_t, std::uint16_t, std::uint16_t>({{0x1000'0000U, 128, 128},
                                                          {std::uint64_t{5} << 32, 128, 512},
                                                          {std::uint64_t{1} << 40, 512, 512}}));
  CAPTURE(base, payload, request);
  const auto host = std::make_shared<PcieHost>(HostOptions{.max_payload = payload,
                                                           .max_request = request,
                                                           .memory_base = base,
                                                           .sys_half = 7,
                                                           .device_half = 4});
  CardTransport card(host);
  std::mt19937_64 random(base);
  std::vector<std::byte> bytes;
  for (const std::size_t size : {64U, 128U, 448U, 512U, 576U, 4096U, 8192U + 64U, 40'000U}) {
    CAPTURE(size);
    for (const std::uint64_t address :
         {kCardMemory, kCardMemory + 0x12'3440, kCardMemory + kCardBytes - size}) {
      CAPTURE(address);
      bytes = random_bytes(random, size);
      const auto kept = random_bytes(random, kWordBytes);
      const bool has_next = address + size < kCardMemory + kCardBytes;
      if (has_next) card.put(address + size, kept);
      card.put(address, bytes);
      std::vector<std::byte> read(size);
      card.get(address, read);
      CHECK(read == bytes);
      if (!has_next) continue;
      std::vector<std::byte> next(kWordBytes);
      card.get(address + size, next);
      CHECK(next == kept);
    }
  }
  CHECK(host->reads() > 0);
  CHECK(host->writes() > 0);
}

TEST_CASE("card: an interrupt comes for a command, and again while it is not cleared") {
  const auto host = std::make_shared<PcieHost>();
  CardTransport card(host);
  card.write_register(reg::irq_mask, ~0U);
  card.write_register(reg::ctrl, 1U << ctrl::enable | 1U << ctrl::irq_enable);
  CHECK(card.wait_interrupt(0s) == Interrupt::timed_out);

  card.write_register(reg::cmd_window, 0);
  card.write_register(reg::cmd_doorbell,
                      7);  // not the next number, which is no command: no interrupt
  CHECK(card.wait_interrupt(0s) == Interrupt::timed_out);

  const DescriptorWords words = encode(clear({kCardMemory, 512}).with(flag::irq));
  for (std::uint32_t i = 0; i < words.size(); ++i)
    card.write_register(reg::cmd_window + 4 * i, words[i]);
  card.write_register(reg::cmd_doorbell, 0);
  CHECK(card.wait_interrupt(10s) == Interrupt::raised);
  CHECK(card.wait_interrupt(10s) == Interrupt::raised);
  card.write_register(reg::irq_status, card.read_register(reg::irq_status));
  (void)host->take_interrupts();
  CHECK(card.wait_interrupt(0s) == Interrupt::timed_out);
}

TEST_CASE("card: a product and a sparse product, through the driver") {
  auto owned = std::make_unique<CardTransport>(std::make_shared<PcieHost>());
  const CardTransport& card = *owned;
  Device device(std::move(owned));
  CHECK(device.info().has(feature::fftmul));
  CHECK(device.info().has(feature::lhw));
  fhe::test::Operands operands(20'261'126);
  const Placed x = place(device, operands.bits(10'000), 10'000);
  const Placed y = place(device, operands.bits(3'000), 3'000);
  const Placed product = room(device, 13'000);
  device.run(multiply(product.where(), x.where(), y.where()));
  CHECK(device.load(product.buffer, 13'000) == x.value * y.value);

  const std::vector<std::uint16_t> indices{0, 1, 77, 512, 2047, 4095};
  const Placed few = place_indices(device, indices);
  const Placed sparse = room(device, 10'000 + 4096);
  device.run(sparse_multiply(sparse.where(), x.where(), few.buffer.address(),
                             static_cast<std::uint16_t>(indices.size())));
  CHECK(device.load(sparse.buffer, 10'000 + 4096) == x.value * few.value);
  CHECK(card.interrupts() >= 2);
}

TEST_CASE("card: every command that the device has") {
  Device device(std::make_unique<CardTransport>(std::make_shared<PcieHost>()));
  check_commands(device, small_suite());
}

}  // namespace fhe::fpga::test
